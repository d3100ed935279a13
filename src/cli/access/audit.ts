/** `holdfast audit`: lists calls to the HTTP API that changed something or were refused. */
import type { Command } from 'commander'
import { given } from '../../json/given.js'
import type { AuditRow } from '../../store/access/audit.js'
import { withConsole } from '../console/connect.js'
import { consoleCommand, type DatabaseFlags, usageError, wholeNumber } from '../flags.js'
import type { CommandContext } from '../program.js'
import { ago } from '../terminal/format.js'
import { type Column, printTable } from '../terminal/table.js'
import type { Paint } from '../terminal/terminal.js'

interface Flags extends DatabaseFlags {
  readonly tenant?: string
  readonly actor?: string
  readonly operation?: string
  readonly since?: string
  readonly until?: string
  readonly limit: number
}

export function auditCommand(context: CommandContext): Command {
  return consoleCommand(
    'audit',
    'list API calls that changed something or were refused',
    'holdfast audit --actor web --since 2030-01-01T00:00:00Z',
  )
    .option('--tenant <name>', 'only of this tenant')
    .option('--actor <name>', 'only with this key')
    .option('--operation <name>', 'only this operation, named as in /docs')
    .option('--since <time>', 'from this time, like 2030-01-01T00:00:00Z', instant)
    .option('--until <time>', 'before this time', instant)
    .option('-n, --limit <n>', 'most rows to show, up to 500', wholeNumber(1, 500), 50)
    .action((flags: Flags) => audit(flags, context))
}

function instant(text: string): string {
  const time = new Date(text)
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(time.getTime())) return time.toISOString()
  throw usageError(`"${text}" is not a time.`, 'Write it like 2030-01-01T00:00:00Z.')
}

async function audit(
  { tenant, actor, operation, since, until, limit, ...flags }: Flags,
  context: CommandContext,
) {
  const { terminal } = context
  await withConsole({ ...flags, ...given({ tenant }) }, context, async ({ console }) => {
    const calls = await console.audit.list({ limit, ...given({ tenant, actor, operation, since, until }) })
    if (flags.json) return terminal.out(JSON.stringify({ calls }))
    if (calls.length === 0) return terminal.out('No such call.')
    printTable(terminal, calls, columns(terminal.paint))
  })
}

const columns = ({ dim, red }: Paint): Column<AuditRow>[] => [
  { title: 'when', value: ({ at }) => ago(at), right: true },
  { title: 'who', value: ({ actor }) => actor },
  { title: 'tenant', value: ({ tenant }) => (tenant === '*' ? 'every' : tenant) },
  { title: 'operation', value: ({ operation }) => operation },
  {
    title: 'status',
    value: ({ status, code }) => (code === null ? String(status) : `${status} ${code}`),
    paint: (text, { status }) => (status < 400 ? text : red(text)),
  },
  { title: 'why', value: ({ reason }) => reason ?? '', shrinks: true, paint: dim },
]
