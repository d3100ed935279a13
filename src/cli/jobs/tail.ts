/** `holdfast jobs tail`: what happens, as it happens; of one job until it has ended. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Command } from 'commander'
import { isEnded, type State } from '../../domain/states.js'
import type { NamedJob } from '../../store/listing.js'
import type { FeedEvent } from '../../store/rows.js'
import type { Store } from '../../store/store.js'
import { withStore } from '../connect.js'
import { CommandError, EXIT } from '../failure.js'
import { type DatabaseFlags, eitherCommand, jobIds, type TenantFlag, withTenant } from '../flags.js'
import type { Context } from '../program.js'
import { shorten, widthOf } from '../table.js'
import type { Terminal } from '../terminal.js'
import { many, moment, paintState } from '../words.js'

interface Flags extends DatabaseFlags, TenantFlag {
  readonly queue?: string
  readonly all?: boolean
  readonly follow: boolean
}

const LOOK_MS = 300
/** As many events as one look at the feed brings at most. */
const PAGE = 500

export function tailCommand(context: Context): Command {
  const command = eitherCommand(
    'tail',
    'what happens, as it happens; of one job until it has ended',
    'holdfast jobs tail --queue mail',
    'holdfast jobs tail 42 && echo "job 42 succeeded"',
  )
    .argument('[id]', 'only this job: ends with it, with exit code 1 unless it succeeded')
    .option('-q, --queue <name>', 'only of this queue')
    .option('--all', 'begin with everything that is kept, not with what comes')
    .option('--no-follow', 'end when there is nothing new')
  return withTenant(command).action((id: string | undefined, flags: Flags) => tail(id, flags, context))
}

async function tail(text: string | undefined, flags: Flags, context: Context): Promise<void> {
  const [jobId] = text === undefined ? [] : jobIds([text])
  await withStore(flags, context, async ({ store }) => {
    if (jobId !== undefined) await store.read.job(jobId)
    const queues = await queueNames(store, flags)
    // A job's own events are few, so they are all told; a queue's may be millions.
    let cursor = flags.all || jobId !== undefined ? 'all' : undefined
    for (;;) {
      // Asked before the look at the feed: what ended it is then in the feed.
      const state = jobId === undefined ? undefined : (await store.read.job(jobId)).state
      const page = await store.read.feed(cursor)
      // What a job is now is what this event made of it only if the event is new.
      const fresh = cursor !== 'all' && page.events.length < PAGE
      cursor = page.cursor
      await tell(store, only(page.events, jobId), { queues, flags, fresh }, context)
      if (page.events.length > 0) continue
      if (state !== undefined && isEnded(state)) return endWith(state, jobId as number)
      if (!flags.follow) return
      await wait(LOOK_MS, undefined, { signal: context.signal })
    }
  })
}

type Names = ReadonlyMap<number, string>

/** Queues this reader wants, by id. */
async function queueNames(store: Store, { queue, tenant }: Flags): Promise<Names> {
  const queues =
    queue === undefined ? await store.queues.list({ tenant }) : [await store.queues.get(queue, { tenant })]
  return new Map(queues.map(({ id, name }) => [id, name]))
}

function only(events: readonly FeedEvent[], jobId: number | undefined): FeedEvent[] {
  if (jobId === undefined) return [...events]
  return events
    .filter((event) => event.jobIds.includes(jobId))
    .map((event) => ({ ...event, jobIds: [jobId] }))
}

interface Wishes {
  readonly queues: Names
  readonly flags: Flags
  readonly fresh: boolean
}

/** Events of many jobs say which jobs, not which queue: that is looked up, a page at a time. */
async function tell(
  store: Store,
  events: readonly FeedEvent[],
  { queues, flags, fresh }: Wishes,
  { terminal }: Context,
): Promise<void> {
  const named = await store.list.named(events.flatMap((event) => event.jobIds))
  const jobs = new Map(named.map((job) => [job.id, job]))
  const narrowed = flags.queue !== undefined
  for (const event of events) {
    const queueOf = (id: number) => jobs.get(id)?.queueId ?? event.queueId
    const ids = narrowed ? event.jobIds.filter((id) => queues.has(queueOf(id) ?? -1)) : event.jobIds
    const concernsAll = event.type === 'feed_restarted'
    if (narrowed && !concernsAll && ids.length === 0 && !queues.has(event.queueId ?? -1)) continue
    if (flags.json) terminal.out(JSON.stringify({ ...event, jobIds: ids }))
    else print(terminal, { ...event, jobIds: ids }, { queues, jobs, fresh })
  }
}

interface Known {
  readonly queues: Names
  readonly jobs: ReadonlyMap<number, NamedJob>
  readonly fresh: boolean
}

/** One line an event; ended attempts have one for each way to end. */
function print(terminal: Terminal, event: FeedEvent, { queues, jobs, fresh }: Known): void {
  const { at, type, jobIds: ids, queueId, actor, reason } = event
  const who = [actor === null ? '' : `by ${actor}`, reason ?? ''].filter(Boolean).join(': ')
  const words = new Map<string, number[]>()
  for (const id of ids) {
    const word = (fresh && type === 'attempt_ended' && jobs.get(id)?.state) || type
    words.set(word, [...(words.get(word) ?? []), id])
  }
  if (ids.length === 0) words.set(type, [])
  for (const [word, members] of words) {
    const queue = queues.get(jobs.get(members[0] ?? 0)?.queueId ?? queueId ?? -1) ?? ''
    const rest = [queue, numbers(members, jobs), who].filter(Boolean).join('  ')
    const head = `${moment(at)?.slice(11, 19)}  `
    const shown = word.replaceAll('_', ' ').padEnd(13)
    terminal.out(
      `${terminal.paint.dim(head)}${paintState(terminal.paint, word)(shown)}  ${shorten(rest, widthOf(terminal) - head.length - shown.length - 2)}`,
    )
  }
}

/** #4 welcome, #4 #5 welcome, 40 jobs: #4 #5 #6 … */
function numbers(ids: readonly number[], jobs: ReadonlyMap<number, NamedJob>): string {
  const kinds = new Set(ids.map((id) => jobs.get(id)?.kind))
  const [kind] = kinds
  const shown = ids.slice(0, 5).map((id) => `#${id}`)
  const text = ids.length > 5 ? `${many(ids.length, 'job')}: ${shown.join(' ')} …` : shown.join(' ')
  return kinds.size === 1 && kind !== undefined ? `${text} ${kind}` : text
}

function endWith(state: State, jobId: number): void {
  if (state === 'succeeded') return
  throw new CommandError({
    code: 'job_not_succeeded',
    message: `Job ${jobId} ended as ${state}.`,
    remedy: `Read its story with \`holdfast jobs report ${jobId}\`.`,
    exitCode: EXIT.failed,
  })
}
