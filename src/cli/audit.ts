/** `holdfast audit`: who called the server to change what, also what was refused. */
import type { Command } from 'commander'
import { given } from '../domain/given.js'
import type { AuditRow } from '../store/audit.js'
import { withStore } from './connect.js'
import { type DatabaseFlags, eitherCommand, usageError, wholeNumber } from './flags.js'
import type { Context } from './program.js'
import { type Column, printTable } from './table.js'
import type { Paint } from './terminal.js'
import { ago } from './words.js'

interface Flags extends DatabaseFlags {
  readonly tenant?: string
  readonly actor?: string
  readonly operation?: string
  readonly since?: string
  readonly until?: string
  readonly limit: number
}

export function auditCommand(context: Context): Command {
  return eitherCommand(
    'audit',
    'who called the server to change what, also what was refused',
    'holdfast audit --actor web --since 2030-01-01T00:00:00Z',
  )
    .option('--tenant <name>', 'only of this tenant')
    .option('--actor <name>', 'only of this key')
    .option('--operation <name>', 'only of this operation, as /docs names it')
    .option('--since <time>', 'not before, like 2030-01-01T00:00:00Z', instant)
    .option('--until <time>', 'before', instant)
    .option('-n, --limit <n>', 'how many, up to 500', wholeNumber(1, 500), 50)
    .action((flags: Flags) => audit(flags, context))
}

function instant(text: string): string {
  const time = new Date(text)
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(time.getTime())) return time.toISOString()
  throw usageError(`"${text}" is not a time.`, 'Write it like 2030-01-01T00:00:00Z.')
}

async function audit({ tenant, actor, operation, since, until, limit, ...flags }: Flags, context: Context) {
  const { terminal } = context
  await withStore({ ...flags, ...given({ tenant }) }, context, async ({ store }) => {
    const calls = await store.audit.list({ limit, ...given({ tenant, actor, operation, since, until }) })
    if (flags.json) return terminal.out(JSON.stringify({ calls }))
    if (calls.length === 0) return terminal.out('No such call.')
    printTable(terminal, calls, columns(terminal.paint))
  })
}

const columns = ({ dim, red }: Paint): Column<AuditRow>[] => [
  { title: 'when', of: ({ at }) => ago(at), right: true },
  { title: 'who', of: ({ actor }) => actor },
  { title: 'tenant', of: ({ tenant }) => (tenant === '*' ? 'every' : tenant) },
  { title: 'operation', of: ({ operation }) => operation },
  {
    title: 'status',
    of: ({ status, code }) => (code === null ? String(status) : `${status} ${code}`),
    paint: (text, { status }) => (status < 400 ? text : red(text)),
  },
  { title: 'why', of: ({ reason }) => reason ?? '', gives: true, paint: dim },
]
