/**
 * Setting the status of a crawl job runs the command that leads to it. This table has the command for each requested status (rows, by
 * the preset's state words) and each state of the job (columns):
 *
 *   requested  not running yet       running           failed, canceled   succeeded
 *   queued     resume, or run now    refused           retry              refused
 *   crawling   refused: only a worker claims a job
 *   success    refused               ended by force    refused            unchanged
 *   failed     cancel                ended by force    unchanged          refused
 *
 * In a strict queue only workers end jobs, so every status is refused there.
 */

import { holdfastError } from '../../domain/errors/errors.js'
import { isEnded, type State } from '../../domain/states/states.js'
import type { Attribution } from '../../store/job-commands.js'
import type { PresetJob } from '../../store/preset-views.js'
import type { Store } from '../../store/store.js'
import { withStateWords, wrongState } from '../preset-scope.js'
import type { CRAWL_STATE_WORDS } from './contract.js'

export type CrawlStateWord = (typeof CRAWL_STATE_WORDS)[number]

type StatusCommand = (store: Store, jobId: number, act: Attribution) => Promise<unknown>

const unchanged = Symbol('the job has this status already')
const refused = Symbol('the job cannot get this status')

const retry: StatusCommand = ({ commands }, id, act) => commands.retry(id, act)
const resume: StatusCommand = ({ commands }, id, act) => commands.resume(id, act)

const TO_QUEUED: Readonly<Record<State, StatusCommand | typeof unchanged | typeof refused>> = {
  queued: unchanged,
  waiting: unchanged,
  pending: (store, id, act) => store.publish(id, act),
  paused: resume,
  errored: resume,
  parked: resume,
  scheduled: retry,
  retrying: retry,
  assigned: refused,
  running: refused,
  failed: retry,
  canceled: retry,
  succeeded: refused,
}

function commandFor(
  requested: CrawlStateWord,
  state: State,
): StatusCommand | typeof unchanged | typeof refused {
  const isRunning = state === 'assigned' || state === 'running'
  switch (requested) {
    case 'queued':
      return TO_QUEUED[state]
    case 'crawling':
      return refused
    case 'success':
      if (isRunning) return ({ commands }, id, act) => commands.forceFinish(id, 'succeeded', act)
      return state === 'succeeded' ? unchanged : refused
    case 'failed':
      if (isRunning) return ({ commands }, id, act) => commands.forceFinish(id, 'failed', act)
      if (state === 'succeeded') return refused
      return isEnded(state) ? unchanged : ({ commands }, id, act) => commands.cancel(id, act)
  }
}

/** Returns whether the job changed. */
export async function requestStatus(
  store: Store,
  job: PresetJob,
  requested: CrawlStateWord,
  act: Attribution,
): Promise<boolean> {
  if (job.strict)
    throw holdfastError('strict_queue', { queue: job.queue, verb: `set the status to ${requested}` })
  const command = commandFor(requested, job.state)
  if (command === refused) throw wrongState(job, `set the status to ${requested}`)
  if (command === unchanged) return false
  await withStateWords(job, `set the status to ${requested}`, () =>
    (command as StatusCommand)(store, job.id, act),
  )
  return true
}

/** Retries a job; it must have failed or been canceled. */
export async function retryFailed({ commands }: Store, job: PresetJob, act: Attribution): Promise<boolean> {
  if (job.strict) throw holdfastError('strict_queue', { queue: job.queue, verb: 'retry' })
  if (job.state !== 'failed' && job.state !== 'canceled') throw wrongState(job, 'retry')
  await withStateWords(job, 'retry', () => commands.retry(job.id, act))
  return true
}
