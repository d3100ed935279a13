/** `holdfast kinds`: lists kinds of jobs with their live jobs, their workers, and the options that programs declare. */
import type { Command } from 'commander'
import { WORK_KINDS, type WorkKind } from '../../app/catalogue.js'
import type { Kind } from '../../store/kinds.js'
import { withConsole } from '../console/connect.js'
import { consoleCommand, type DatabaseFlags, type TenantFlag, withTenant } from '../flags.js'
import type { CommandContext } from '../program.js'
import { span } from '../terminal/format.js'
import { printTable } from '../terminal/table.js'

interface Flags extends DatabaseFlags, TenantFlag {
  readonly catalogue?: boolean
}

interface KindRow {
  readonly kind: string
  readonly workers: number
  readonly jobs: number
  readonly parked: number
  /** Options declared by a program; null without a declaration. */
  readonly declared: Omit<Kind, 'kind'> | null
}

export function kindsCommand(context: CommandContext): Command {
  const command = consoleCommand(
    'kinds',
    'list kinds of jobs with workers, live jobs and declared options',
    'holdfast kinds',
    'holdfast kinds --catalogue',
  ).option('--catalogue', 'list the kinds of simulated work')
  return withTenant(command).action((flags: Flags) =>
    flags.catalogue ? printCatalogue(flags, context) : kinds(flags, context),
  )
}

async function kinds(flags: Flags, context: CommandContext): Promise<void> {
  const { terminal } = context
  await withConsole(flags, context, async ({ console }) => {
    const [live, workers, kinds] = await Promise.all([
      console.list.liveKinds(flags.tenant),
      console.workers.list({ tenant: flags.tenant }),
      console.kinds.list({ tenant: flags.tenant }),
    ])
    const declared = new Map(kinds.map(({ kind, ...rest }) => [kind, rest]))
    const known = new Map<string, number>()
    for (const worker of workers) {
      if (worker.alive) for (const kind of worker.kinds) known.set(kind, (known.get(kind) ?? 0) + 1)
    }
    const names = [...new Set([...live.map(({ kind }) => kind), ...known.keys(), ...declared.keys()])].sort()
    const rows: KindRow[] = names.map((kind) => {
      const { jobs = 0, parked = 0 } = live.find((row) => row.kind === kind) ?? {}
      return { kind, workers: known.get(kind) ?? 0, jobs, parked, declared: declared.get(kind) ?? null }
    })
    if (flags.json) return terminal.out(JSON.stringify({ kinds: rows }))
    if (rows.length === 0) return terminal.out('No live jobs and no workers.')
    const { paint } = terminal
    printTable(terminal, rows, [
      { title: 'kind', value: ({ kind }) => kind },
      { title: 'workers', value: (row) => String(row.workers), right: true },
      { title: 'live jobs', value: ({ jobs }) => String(jobs), right: true },
      { title: 'declared', value: declaredOf, shrinks: true },
      { title: '', value: noteOf, shrinks: true, paint: paint.yellow },
    ])
  })
}

function declaredOf({ declared }: KindRow): string {
  if (declared === null) return ''
  const { maxRetries, timeoutMs, priority, key, target, search, byProgram } = declared
  const parts = Object.entries({ retries: maxRetries, priority, key, target })
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name} ${value}`)
  if (timeoutMs !== null) parts.push(`timeout ${span(timeoutMs)}`)
  if (search !== null) parts.push(`search ${search.join(' ')}`)
  return [...parts, ...byProgram.map((name) => `${name} by its program`)].join(', ')
}

function noteOf({ workers, jobs, parked }: KindRow): string {
  if (parked > 0) return `${parked} parked: no worker handles this kind`
  return workers === 0 && jobs > 0 ? 'no worker handles it' : ''
}

async function printCatalogue({ json }: Flags, { terminal }: CommandContext): Promise<void> {
  const rows = Object.entries(WORK_KINDS).map(([kind, work]: [string, WorkKind]) => ({ kind, ...work }))
  if (json) {
    terminal.out(JSON.stringify({ catalogue: rows }))
    return
  }
  printTable(terminal, rows, [
    { title: 'kind', value: ({ kind }) => kind },
    { title: 'takes', value: ({ durationMs }) => span(durationMs), right: true },
    { title: 'ends in', value: ({ outcome }) => outcome },
    { title: 'then', value: whatThen, shrinks: true },
  ])
}

function whatThen({ outcome, retryable, attempts }: WorkKind): string {
  if (outcome !== 'fail') return ''
  if (retryable === false) return 'not retried'
  return attempts === undefined
    ? 'retried until its retries are used up'
    : `succeeds after attempt ${attempts}`
}
