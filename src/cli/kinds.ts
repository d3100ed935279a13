/** `holdfast kinds`: kinds of jobs that are there, whether a worker that knows them is, and what their programs declare. */
import type { Command } from 'commander'
import { WORK_KINDS, type WorkKind } from '../app/catalogue.js'
import type { Kind } from '../store/kinds.js'
import { withStore } from './connect.js'
import { type DatabaseFlags, eitherCommand, type TenantFlag, withTenant } from './flags.js'
import type { Context } from './program.js'
import { printTable } from './table.js'
import { span } from './words.js'

interface Flags extends DatabaseFlags, TenantFlag {
  readonly catalogue?: boolean
}

interface KindRow {
  readonly kind: string
  readonly workers: number
  readonly jobs: number
  readonly parked: number
  /** What its program declares; null where none has. */
  readonly declared: Omit<Kind, 'kind'> | null
}

export function kindsCommand(context: Context): Command {
  const command = eitherCommand(
    'kinds',
    'kinds of jobs, how many workers know them, and what their programs declare',
    'holdfast kinds',
    'holdfast kinds --catalogue',
  ).option('--catalogue', 'the kinds of pretended work that come with Holdfast')
  return withTenant(command).action((flags: Flags) =>
    flags.catalogue ? printCatalogue(flags, context) : kinds(flags, context),
  )
}

async function kinds(flags: Flags, context: Context): Promise<void> {
  const { terminal } = context
  await withStore(flags, context, async ({ store }) => {
    const [live, workers, kinds] = await Promise.all([
      store.list.liveKinds(flags.tenant),
      store.workers.list({ tenant: flags.tenant }),
      store.kinds.list({ tenant: flags.tenant }),
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
    if (rows.length === 0) return terminal.out('No live jobs, and no worker.')
    const { paint } = terminal
    printTable(terminal, rows, [
      { title: 'kind', of: ({ kind }) => kind },
      { title: 'workers', of: (row) => String(row.workers), right: true },
      { title: 'live jobs', of: ({ jobs }) => String(jobs), right: true },
      { title: 'declared', of: declaredOf, gives: true },
      { title: '', of: noteOf, gives: true, paint: paint.yellow },
    ])
  })
}

function declaredOf({ declared }: KindRow): string {
  if (declared === null) return ''
  const { maxRetries, timeoutMs, priority, key, target, byProgram } = declared
  const said = Object.entries({ retries: maxRetries, priority, key, target })
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name} ${value}`)
  if (timeoutMs !== null) said.push(`timeout ${span(timeoutMs)}`)
  return [...said, ...byProgram.map((name) => `${name} by its program`)].join(', ')
}

function noteOf({ workers, jobs, parked }: KindRow): string {
  if (parked > 0) return `${parked} parked: no worker that came for them knew this kind`
  return workers === 0 && jobs > 0 ? 'no worker knows it' : ''
}

async function printCatalogue({ json }: Flags, { terminal }: Context): Promise<void> {
  const rows = Object.entries(WORK_KINDS).map(([kind, work]: [string, WorkKind]) => ({ kind, ...work }))
  if (json) {
    terminal.out(JSON.stringify({ catalogue: rows }))
    return
  }
  printTable(terminal, rows, [
    { title: 'kind', of: ({ kind }) => kind },
    { title: 'takes', of: ({ durationMs }) => span(durationMs), right: true },
    { title: 'ends in', of: ({ outcome }) => outcome },
    { title: 'then', of: whatThen, gives: true },
  ])
}

function whatThen({ outcome, retryable, attempts }: WorkKind): string {
  if (outcome !== 'fail') return ''
  if (retryable === false) return 'not tried again'
  return attempts === undefined
    ? 'tried again until its retries are used up'
    : `succeeds after attempt ${attempts}`
}
