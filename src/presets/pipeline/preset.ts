/**
 * Pipeline: a strict lifecycle, in which only a worker ends a job and the lease is a hard limit. Its queues are usually triggered by SQS.
 * It has no endpoints of its own. A live job that is not running reads `queued` before its first attempt and `failed_retryable`
 * afterwards, for whatever reason it came back (state-words.ts).
 */
import { DEFAULT_POLICY } from '../../domain/policy.js'
import { ended, MINUTE_MS, notRunning, type Preset, SECOND_MS } from '../preset.js'

export const pipeline: Preset = {
  policy: {
    ...DEFAULT_POLICY,
    order: 'fifo',
    maxRetries: 3,
    retryBaseMs: 30 * SECOND_MS,
    leaseMs: 10 * MINUTE_MS,
    heartbeatMs: null,
    renewedBy: 'nothing',
    serializeTargets: false,
    strict: true,
  },
  stateWords: {
    ...notRunning('queued'),
    retrying: 'failed_retryable',
    assigned: 'processing',
    running: 'processing',
    ...ended('completed', 'failed', 'failed'),
  },
}
