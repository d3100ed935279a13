/** `holdfast jobs list`: lists jobs, newest first. */
import type { Command } from 'commander'
import { suggestion } from '../../domain/nearest.js'
import { isState, STATES, type State } from '../../domain/states/states.js'
import { literal, parseSearch, printTerm, type TextTerm } from '../../search/search.js'
import type { JobFilter, ListedJob, Page } from '../../store/list/listing.js'
import type { Examined } from '../../store/search/job-search.js'
import { withConsole } from '../console/connect.js'
import type { Console } from '../console/console.js'
import {
  consoleCommand,
  type DatabaseFlags,
  type TenantFlag,
  usageError,
  wholeNumber,
  withTenant,
} from '../flags.js'
import type { CommandContext } from '../program.js'
import { ago, paintState, stateAndStatus } from '../terminal/format.js'
import { printTable } from '../terminal/table.js'

interface Flags extends DatabaseFlags, TenantFlag {
  readonly queue?: string
  readonly state?: State
  readonly kind?: string
  readonly target?: string
  readonly key?: string
  readonly limit: number
  readonly after?: string
  readonly search?: string
}

export function listCommand(context: CommandContext): Command {
  const command = consoleCommand(
    'list',
    'list jobs, newest first',
    'holdfast jobs list --state failed',
    'holdfast jobs list --queue mail --limit 100 --json',
    "holdfast jobs list --search 'state:failed error:timeout age<1h'",
  )
    .option('-q, --queue <name>', 'only of this queue')
    .option('-s, --state <state>', `only in this state: ${STATES.join(', ')}`, stateOf)
    .option('-k, --kind <kind>', 'only of this kind')
    .option('-t, --target <target>', 'only of this target')
    .option('--key <key>', 'only with this key')
    .option('--search <query>', 'a search, as in the dashboard: docs/search.md')
    .option('-n, --limit <n>', 'most jobs to show, up to 500', wholeNumber(1, 500), 20)
    .option('--after <cursor>', 'next page: the cursor that the last page printed')
  return withTenant(command).action((flags: Flags) => list(flags, context))
}

/** A commander parser for a state. */
export function stateOf(text: string): State {
  if (isState(text)) return text
  throw usageError(
    `There is no state "${text}".${suggestion(text, STATES)}`,
    `Use one of ${STATES.join(', ')}.`,
  )
}

async function list(flags: Flags, context: CommandContext): Promise<void> {
  const { terminal } = context
  const { url: _url, schema: _schema, config: _config, server: _server, json, search, ...filter } = flags
  const q = search === undefined ? undefined : searchOf(search, filter)
  await withConsole(flags, context, async ({ console }) => {
    const found = q === undefined ? undefined : await console.search.page(q, filter)
    const { rows, next } = found ?? (await readPages(console, filter))
    const examined = found?.examined
    if (json) return terminal.out(JSON.stringify({ jobs: rows, next, ...(examined && { examined }) }))
    const { paint } = terminal
    const more = next === null ? undefined : paint.dim(`${examinedText(examined)}more: --after ${next}`)
    if (rows.length === 0) {
      terminal.out(more === undefined ? 'No jobs.' : 'No jobs among the newest.')
      if (more !== undefined) terminal.out(more)
      return
    }
    printTable(terminal, rows, [
      { title: 'id', value: ({ id }) => String(id), right: true },
      {
        title: 'state',
        value: stateAndStatus,
        paint: (text, { state }) => paintState(paint, state)(text),
      },
      { title: 'queue', value: ({ queue }) => queue },
      { title: 'kind', value: ({ kind }) => kind },
      {
        title: 'try',
        value: ({ attempt, maxRetries }) => (attempt > 0 ? `${attempt}/${maxRetries + 1}` : ''),
        right: true,
      },
      { title: 'enqueued', value: ({ createdAt }) => ago(createdAt), right: true },
      { title: 'note', value: noteOf, shrinks: true, paint: (text) => paint.dim(text) },
    ])
    if (more !== undefined) terminal.out(more)
  })
}

/** Refuses a search with a mistake, and shows it with a caret below. */
export function refuseMistake(search: string): void {
  const [problem] = parseSearch(search).problems
  if (problem === undefined) return
  const { position, length, message, nearest } = problem
  const instead = nearest === undefined ? '' : ` Did you mean ${nearest}?`
  // A tab or a line break would move the caret.
  const line = search.replace(/\s/g, ' ')
  throw usageError(
    `${message}${instead}\n  ${line}\n  ${' '.repeat(position)}${'^'.repeat(length)}`,
    'Correct the marked part; docs/search.md lists the fields.',
  )
}

/** The search with the other flags as terms. */
function searchOf(search: string, { queue, state, kind, target, key }: Partial<Flags>): string {
  refuseMistake(search)
  const terms = Object.entries({ queue, state, kind, target, key }).flatMap(([field, value]) =>
    value === undefined ? [] : [{ is: 'text', field, not: false, values: [literal(value)] } as TextTerm],
  )
  return [search, ...terms.map(printTerm)].join(' ')
}

/** How far an unfinished search looked. */
function examinedText(examined: Examined | undefined): string {
  if (examined === undefined || examined.complete || examined.oldestAt === null) return ''
  return `looked back to ${examined.oldestAt.toISOString()}, ${examined.jobs} jobs; `
}

/** The store scans a bounded number of jobs for a page, so a rare match takes several pages. */
const PAGES_MAX = 20

async function readPages(console: Console, filter: JobFilter & { limit: number }): Promise<Page<ListedJob>> {
  const rows: ListedJob[] = []
  let after = filter.after
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const page = await console.list.jobs({
      ...filter,
      limit: filter.limit - rows.length,
      ...(after === undefined ? {} : { after }),
    })
    rows.push(...page.rows)
    if (page.next === null) return { rows, next: null }
    after = page.next
    if (rows.length === filter.limit) break
  }
  return { rows, next: after ?? null }
}

/** The most useful detail of the job's state. */
function noteOf(job: ListedJob): string {
  const { state, leaseOwner, visibleAt, finishedAt, target, priority } = job
  const why = whyOf(job)
  if (state === 'scheduled' || state === 'retrying') return joined(': ', `due ${ago(visibleAt)}`, why)
  if (leaseOwner !== null) return `on ${leaseOwner}`
  if (finishedAt !== null) return joined(': ', `ended ${ago(finishedAt)}`, why)
  return joined(
    ', ',
    priority > 0 ? `priority ${priority}` : '',
    target === null ? '' : `target ${target}`,
    why,
  )
}

const joined = (by: string, ...parts: (string | null)[]): string => parts.filter(Boolean).join(by)

/** The error for a failed job, else the reason recorded with its state. */
export function whyOf({ state, reason, lastError }: ListedJob): string | null {
  if (lastError === null || lastError === reason) return reason
  if (state === 'failed' || state === 'retrying' || state === 'errored')
    return joined(': ', reason, lastError)
  return reason
}
