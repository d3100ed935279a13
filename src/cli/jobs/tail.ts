/** `holdfast jobs tail`: follows the event feed, or one job until it has ended. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Command } from 'commander'
import { isEnded, type State } from '../../domain/states/states.js'
import type { NamedJob } from '../../store/list/listing.js'
import { withConsole } from '../console/connect.js'
import type { Console, ShownEvent } from '../console/console.js'
import { CommandError, EXIT } from '../failure.js'
import { consoleCommand, type DatabaseFlags, jobIds, type TenantFlag, withTenant } from '../flags.js'
import type { CommandContext } from '../program.js'
import { many, moment, paintState } from '../terminal/format.js'
import { shorten, widthOf } from '../terminal/table.js'
import type { Terminal } from '../terminal/terminal.js'

interface Flags extends DatabaseFlags, TenantFlag {
  readonly queue?: string
  readonly all?: boolean
  readonly follow: boolean
}

const POLL_MS = 300
/** Most events that one read of the feed returns. */
const PAGE = 500

export function tailCommand(context: CommandContext): Command {
  const command = consoleCommand(
    'tail',
    'follow events of all jobs, or of one job until it ends',
    'holdfast jobs tail --queue mail',
    'holdfast jobs tail 42 && echo "job 42 succeeded"',
  )
    .argument('[id]', 'follow this job; exits with 1 unless it succeeds')
    .option('-q, --queue <name>', 'only of this queue')
    .option('--all', 'start with the oldest stored event')
    .option('--no-follow', 'exit when there are no more events')
  return withTenant(command).action((id: string | undefined, flags: Flags) => tail(id, flags, context))
}

async function tail(text: string | undefined, flags: Flags, context: CommandContext): Promise<void> {
  const [jobId] = text === undefined ? [] : jobIds([text])
  await withConsole(flags, context, async ({ console }) => {
    if (jobId !== undefined) await console.read.job(jobId)
    const queues = await queueNames(console, flags)
    // A job has few events, so all are shown; a queue may have millions.
    let cursor = flags.all || jobId !== undefined ? 'all' : undefined
    for (;;) {
      // Read before the feed, so that the feed has the event that ended the job.
      const state = jobId === undefined ? undefined : (await console.read.job(jobId)).state
      const page = await console.read.feed(cursor)
      // Only for a new event is the job's current state the one that the event caused.
      const fresh = cursor !== 'all' && page.events.length < PAGE
      cursor = page.cursor
      await printEvents(console, only(page.events, jobId), { queues, flags, fresh }, context)
      if (page.events.length > 0) continue
      if (state !== undefined && isEnded(state)) return endWith(state, jobId as number)
      if (!flags.follow) return
      await wait(POLL_MS, undefined, { signal: context.signal })
    }
  })
}

type Names = ReadonlyMap<number, string>

/** Names of the selected queues, by id. */
async function queueNames(console: Console, { queue, tenant }: Flags): Promise<Names> {
  const queues =
    queue === undefined
      ? await console.queues.list({ tenant })
      : [await console.queues.get(queue, { tenant })]
  return new Map(queues.map(({ id, name }) => [id, name]))
}

function only(events: readonly ShownEvent[], jobId: number | undefined): ShownEvent[] {
  if (jobId === undefined) return [...events]
  return events
    .filter((event) => event.jobIds.includes(jobId))
    .map((event) => ({ ...event, jobIds: [jobId] }))
}

interface TailView {
  readonly queues: Names
  readonly flags: Flags
  readonly fresh: boolean
}

/** Events of several jobs have no queue, so queues are looked up, a page at a time. */
async function printEvents(
  console: Console,
  events: readonly ShownEvent[],
  { queues, flags, fresh }: TailView,
  { terminal }: CommandContext,
): Promise<void> {
  const named = await console.list.named(events.flatMap((event) => event.jobIds))
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

interface PrintDetails {
  readonly queues: Names
  readonly jobs: ReadonlyMap<number, NamedJob>
  readonly fresh: boolean
}

/** Prints one line for each event; ended attempts get one for each resulting state. */
function print(terminal: Terminal, event: ShownEvent, { queues, jobs, fresh }: PrintDetails): void {
  const { at, type, jobIds: ids, queueId, actor, reason } = event
  const who = [actor === null ? '' : `by ${actor}`, reason ?? ''].filter(Boolean).join(': ')
  const groups = new Map<string, number[]>()
  for (const id of ids) {
    const label = (fresh && type === 'attempt_ended' && jobs.get(id)?.state) || type
    groups.set(label, [...(groups.get(label) ?? []), id])
  }
  if (ids.length === 0) groups.set(type, [])
  for (const [label, members] of groups) {
    const queue = queues.get(jobs.get(members[0] ?? 0)?.queueId ?? queueId ?? -1) ?? ''
    const rest = [queue, jobsText(members, jobs), who].filter(Boolean).join('  ')
    const head = `${moment(at)?.slice(11, 19)}  `
    const shown = label.replaceAll('_', ' ').padEnd(13)
    terminal.out(
      `${terminal.paint.dim(head)}${paintState(terminal.paint, label)(shown)}  ${shorten(rest, widthOf(terminal) - head.length - shown.length - 2)}`,
    )
  }
}

/** #4 welcome, #4 #5 welcome, 40 jobs: #4 #5 #6 … */
function jobsText(ids: readonly number[], jobs: ReadonlyMap<number, NamedJob>): string {
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
    remedy: `Read its history with \`holdfast jobs history ${jobId}\`.`,
    exitCode: EXIT.failed,
  })
}
