/** `holdfast jobs list`: a page of jobs, the newest first. */
import type { Command } from 'commander'
import { suggestion } from '../../domain/nearest.js'
import { isState, STATES, type State } from '../../domain/states.js'
import type { JobFilter, ListedJob, Page } from '../../store/listing.js'
import type { Store } from '../../store/store.js'
import { withStore } from '../connect.js'
import {
  type DatabaseFlags,
  eitherCommand,
  type TenantFlag,
  usageError,
  wholeNumber,
  withTenant,
} from '../flags.js'
import type { Context } from '../program.js'
import { printTable } from '../table.js'
import { ago, paintState } from '../words.js'

interface Flags extends DatabaseFlags, TenantFlag {
  readonly queue?: string
  readonly state?: State
  readonly kind?: string
  readonly target?: string
  readonly key?: string
  readonly limit: number
  readonly after?: string
}

export function listCommand(context: Context): Command {
  const command = eitherCommand(
    'list',
    'a page of jobs, the newest first',
    'holdfast jobs list --state failed',
    'holdfast jobs list --queue mail --limit 100 --json',
  )
    .option('-q, --queue <name>', 'only of this queue')
    .option('-s, --state <state>', `only in this state: ${STATES.join(', ')}`, stateOf)
    .option('-k, --kind <kind>', 'only of this kind')
    .option('-t, --target <target>', 'only of this target')
    .option('--key <key>', 'only with this key')
    .option('-n, --limit <n>', 'how many, up to 500', wholeNumber(1, 500), 20)
    .option('--after <cursor>', 'the page after this one, as the last page said')
  return withTenant(command).action((flags: Flags) => list(flags, context))
}

function stateOf(word: string): State {
  if (isState(word)) return word
  throw usageError(
    `There is no state "${word}".${suggestion(word, STATES)}`,
    `Use one of ${STATES.join(', ')}.`,
  )
}

async function list(flags: Flags, context: Context): Promise<void> {
  const { terminal } = context
  const { url: _url, schema: _schema, config: _config, server: _server, json, ...filter } = flags
  await withStore(flags, context, async ({ store }) => {
    const { rows, next } = await look(store, filter)
    if (json) return terminal.out(JSON.stringify({ jobs: rows, next }))
    const { paint } = terminal
    const more = next === null ? undefined : paint.dim(`more: --after ${next}`)
    if (rows.length === 0) {
      terminal.out(more === undefined ? 'No jobs.' : 'No jobs among the newest.')
      if (more !== undefined) terminal.out(more)
      return
    }
    printTable(terminal, rows, [
      { title: 'id', of: ({ id }) => String(id), right: true },
      {
        title: 'state',
        of: ({ state }) => state,
        paint: (text, { state }) => paintState(paint, state)(text),
      },
      { title: 'queue', of: ({ queue }) => queue },
      { title: 'kind', of: ({ kind }) => kind },
      {
        title: 'try',
        of: ({ attempt, maxRetries }) => (attempt > 0 ? `${attempt}/${maxRetries + 1}` : ''),
        right: true,
      },
      { title: 'made', of: ({ createdAt }) => ago(createdAt), right: true },
      { title: 'note', of: noteOf, gives: true, paint: (text) => paint.dim(text) },
    ])
    if (more !== undefined) terminal.out(more)
  })
}

/** One page of the store looks at so many jobs of each place at most; a person has the patience for some of them. */
const PAGES = 20

async function look(store: Store, filter: JobFilter & { limit: number }): Promise<Page<ListedJob>> {
  const rows: ListedJob[] = []
  let after = filter.after
  for (let pages = 0; pages < PAGES; pages += 1) {
    const page = await store.list.jobs({
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

/** What a reader would ask next. */
function noteOf(job: ListedJob): string {
  const { state, leaseOwner, visibleAt, finishedAt, target, priority } = job
  const why = whyOf(job)
  if (state === 'scheduled' || state === 'retrying') return joined(': ', `due ${ago(visibleAt)}`, why)
  if (leaseOwner !== null) return `at ${leaseOwner}`
  if (finishedAt !== null) return joined(': ', `ended ${ago(finishedAt)}`, why)
  return joined(
    ', ',
    priority > 0 ? `priority ${priority}` : '',
    target === null ? '' : `target ${target}`,
    why,
  )
}

const joined = (by: string, ...parts: (string | null)[]): string => parts.filter(Boolean).join(by)

/** What went wrong, where something did; else what was said when it was put where it is. */
function whyOf({ state, reason, lastError }: ListedJob): string | null {
  if (lastError === null || lastError === reason) return reason
  if (state === 'failed' || state === 'retrying' || state === 'errored')
    return joined(': ', reason, lastError)
  return reason
}
