/** `holdfast jobs tail`: what happens, as it happens; of one job until it has ended. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Command } from 'commander'
import { isEnded, type State } from '../../domain/states.js'
import type { FeedEvent } from '../../store/rows.js'
import type { Store } from '../../store/store.js'
import { withStore } from '../connect.js'
import { CommandError, EXIT } from '../failure.js'
import { type DatabaseFlags, databaseCommand, jobIds, type TenantFlag, withTenant } from '../flags.js'
import type { Context } from '../program.js'
import { shorten, WIDTH } from '../table.js'
import { many, moment, paintState } from '../words.js'

interface Flags extends DatabaseFlags, TenantFlag {
  readonly queue?: string
  readonly all?: boolean
  readonly follow: boolean
}

const LOOK_MS = 300

export function tailCommand(context: Context): Command {
  const command = databaseCommand(
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
      cursor = page.cursor
      for (const event of page.events) if (wanted(event, queues, jobId)) print(event, queues, flags, context)
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

function wanted({ queueId, jobIds: ids }: FeedEvent, queues: Names, jobId: number | undefined): boolean {
  if (jobId !== undefined) return ids.includes(jobId)
  return queueId === null || queues.has(queueId)
}

function print(event: FeedEvent, queues: Names, { json }: Flags, { terminal }: Context): void {
  if (json) {
    terminal.out(JSON.stringify(event))
    return
  }
  const { paint } = terminal
  const { at, type, jobIds: ids, queueId, actor, reason } = event
  const queue = queueId === null ? '' : (queues.get(queueId) ?? '')
  const who = [actor === null ? '' : `by ${actor}`, reason ?? ''].filter(Boolean).join(': ')
  const rest = [queue, numbers(ids), who].filter(Boolean).join('  ')
  const head = `${moment(at)?.slice(11, 19)}  `
  const word = type.replaceAll('_', ' ').padEnd(12)
  terminal.out(
    `${paint.dim(head)}${paintState(paint, type)(word)}  ${shorten(rest, WIDTH - head.length - word.length - 2)}`,
  )
}

function numbers(ids: readonly number[]): string {
  const named = ids.slice(0, 5).map((id) => `#${id}`)
  return ids.length > 5 ? `${many(ids.length, 'job')}: ${named.join(' ')} …` : named.join(' ')
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
