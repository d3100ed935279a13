/**
 * A status is a request for the command that leads there. Every pair of what a crawl job is and what somebody wants it to be has one
 * answer; the words are document 001's, the states behind them the engine's.
 *
 *   wanted    waiting to run          running           failed, canceled   succeeded
 *   queued    goes on, goes sooner    refused           starts over        refused
 *   crawling  refused: only a worker claims a job
 *   success   refused                 ended by force    refused            stays
 *   failed    canceled                ended by force    stays              refused
 *
 * In a strict queue only workers end jobs, so every one is refused there.
 */
import type { CRAWL_WORDS } from '../../contract/seeds-crawl.js'
import { holdfastError } from '../../domain/errors.js'
import { isEnded, type State } from '../../domain/states.js'
import type { SpokenJob } from '../../store/documents.js'
import type { Act } from '../../store/operate.js'
import type { Store } from '../../store/store.js'
import { inWords, wrongState } from './words.js'

export type CrawlWord = (typeof CRAWL_WORDS)[number]

type Command = (store: Store, jobId: number, act: Act) => Promise<unknown>

const stay = Symbol('it is that already')
const refuse = Symbol('it cannot become that')

const retry: Command = ({ operate }, id, act) => operate.retry(id, act)
const resume: Command = ({ operate }, id, act) => operate.resume(id, act)

const TO_QUEUED: Readonly<Record<State, Command | typeof stay | typeof refuse>> = {
  queued: stay,
  waiting: stay,
  pending: (store, id, act) => store.release(id, act),
  paused: resume,
  errored: resume,
  parked: resume,
  scheduled: retry,
  retrying: retry,
  assigned: refuse,
  running: refuse,
  failed: retry,
  canceled: retry,
  succeeded: refuse,
}

function commandFor(wanted: CrawlWord, state: State): Command | typeof stay | typeof refuse {
  const running = state === 'assigned' || state === 'running'
  switch (wanted) {
    case 'queued':
      return TO_QUEUED[state]
    case 'crawling':
      return refuse
    case 'success':
      if (running) return ({ operate }, id, act) => operate.forceFinish(id, 'succeeded', act)
      return state === 'succeeded' ? stay : refuse
    case 'failed':
      if (running) return ({ operate }, id, act) => operate.forceFinish(id, 'failed', act)
      if (state === 'succeeded') return refuse
      return isEnded(state) ? stay : ({ operate }, id, act) => operate.cancel(id, act)
  }
}

/** Answers whether anything changed. */
export async function requestStatus(
  store: Store,
  job: SpokenJob,
  wanted: CrawlWord,
  act: Act,
): Promise<boolean> {
  if (job.strict)
    throw holdfastError('strict_queue', { queue: job.queue, verb: `set the status to ${wanted}` })
  const command = commandFor(wanted, job.state)
  if (command === refuse) throw wrongState(job, `set the status to ${wanted}`)
  if (command === stay) return false
  await inWords(job, `set the status to ${wanted}`, () => (command as Command)(store, job.id, act))
  return true
}

/** Only what has failed starts over. */
export async function startOver({ operate }: Store, job: SpokenJob, act: Act): Promise<boolean> {
  if (job.strict) throw holdfastError('strict_queue', { queue: job.queue, verb: 'retry' })
  if (job.state !== 'failed' && job.state !== 'canceled') throw wrongState(job, 'retry')
  await inWords(job, 'retry', () => operate.retry(job.id, act))
  return true
}
