/**
 * A policy says how a queue treats its jobs; a preset is a policy with a name and a vocabulary (words.ts).
 * Null means "as the settings say when it is needed" for the retry and lease numbers, "unlimited" for the crash budget, and
 * "none" for heartbeat, timeout, items key and limits.
 */
import type { PresetName } from './words.js'

/** What may be said where there are only a few answers; the tables of the database know the same words. */
export const POLICY_WORDS = {
  order: ['priority', 'fifo'],
  renewedBy: ['beat', 'report', 'nothing'],
  onLeaseLost: ['retry', 'error'],
  onCancel: ['cancel', 'pause'],
  onShutdown: ['release', 'pause'],
  onError: ['continue', 'block'],
  dedup: ['return_existing', 'replace', 'reject'],
  dedupBy: ['key', 'subject'],
} as const

type Word<Name extends keyof typeof POLICY_WORDS> = (typeof POLICY_WORDS)[Name][number]

export interface Policy {
  /** `fifo` ignores priority; both are in order of creation within a priority. */
  readonly order: Word<'order'>
  /** Retries after the first run: 0 runs a job once. */
  readonly maxRetries: number | null
  readonly retryBaseMs: number | null
  readonly retryFactor: number
  readonly retryCapMs: number | null
  readonly jitterLow: number
  readonly jitterHigh: number
  readonly leaseMs: number | null
  readonly heartbeatMs: number | null
  /** What keeps a lease alive: the process's heartbeat, a sign of work from the handler, or nothing (a hard limit). */
  readonly renewedBy: Word<'renewedBy'>
  readonly onLeaseLost: Word<'onLeaseLost'>
  /** Leases lost in a row before the job itself counts as what kills its workers. */
  readonly crashBudget: number | null
  /** What a cancellation makes of a running job. */
  readonly onCancel: Word<'onCancel'>
  /** What a draining worker makes of the jobs it cannot finish. */
  readonly onShutdown: Word<'onShutdown'>
  /** Jobs of one target run one after the other. */
  readonly serializeTargets: boolean
  /** `block`: a failure is held as `errored`, in front of its target, until a person decides. */
  readonly onError: Word<'onError'>
  /** What enqueue does when a live job holds the same key. */
  readonly dedup: Word<'dedup'>
  /** `subject`: a job without a key is known by its subject. */
  readonly dedupBy: Word<'dedupBy'>
  /** Ended means ended: nothing but a new job follows `succeeded` and `failed`, and only a worker ends a job. */
  readonly strict: boolean
  /** Longest time of one attempt, whatever its lease. */
  readonly timeoutMs: number | null
  /** The field of an item that makes it a duplicate of another. */
  readonly itemsKey: string | null
  /** Who is told, through the outbox, that a job can be claimed (for example `sqs`). */
  readonly externalTrigger: string | null
  /** Running jobs of the queue at most, over all workers. */
  readonly maxRunning: number | null
  /** Running jobs of one target at most; 1 is one after the other. */
  readonly maxRunningPerTarget: number
  /** Starts per `ratePeriodMs` at most: never more than burst + rate · t in any time t. */
  readonly rateLimit: number | null
  readonly ratePeriodMs: number
  /** Null: as many as the rate. */
  readonly rateBurst: number | null
  /** The rate counts for each target, key or subject of the queue (the first it has), not for the queue as a whole. */
  readonly ratePerKey: boolean
  /** How long ended jobs are kept. */
  readonly retentionMs: number | null
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

const DEFAULT: Policy = {
  order: 'priority',
  maxRetries: 4,
  retryBaseMs: 5 * SECOND,
  retryFactor: 2,
  retryCapMs: HOUR,
  jitterLow: -0.2,
  jitterHigh: 0.2,
  leaseMs: 30 * SECOND,
  heartbeatMs: 10 * SECOND,
  renewedBy: 'beat',
  onLeaseLost: 'retry',
  crashBudget: 3,
  onCancel: 'cancel',
  onShutdown: 'release',
  serializeTargets: true,
  onError: 'continue',
  dedup: 'return_existing',
  dedupBy: 'key',
  strict: false,
  timeoutMs: null,
  itemsKey: null,
  externalTrigger: null,
  maxRunning: null,
  maxRunningPerTarget: 1,
  rateLimit: null,
  ratePeriodMs: SECOND,
  rateBurst: null,
  ratePerKey: false,
  retentionMs: 7 * 24 * HOUR,
}

export const PRESETS: Readonly<Record<PresetName, Policy>> = {
  default: DEFAULT,
  harvest: {
    ...DEFAULT,
    order: 'fifo',
    // Left open: this system is run by its four settings.
    maxRetries: null,
    retryBaseMs: null,
    retryCapMs: null,
    leaseMs: null,
    jitterLow: 0,
    jitterHigh: 0.2,
    heartbeatMs: null,
    renewedBy: 'report',
    serializeTargets: false,
    itemsKey: 'phone',
  },
  crawl: {
    ...DEFAULT,
    maxRetries: 3,
    retryBaseMs: MINUTE,
    retryCapMs: 24 * HOUR,
    // Renewed by reports alone: a crawler that lives but shows no sign of work for this long loses its job.
    leaseMs: 15 * MINUTE,
    heartbeatMs: null,
    renewedBy: 'report',
    serializeTargets: false,
    dedupBy: 'subject',
  },
  pipeline: {
    ...DEFAULT,
    order: 'fifo',
    maxRetries: 3,
    retryBaseMs: 30 * SECOND,
    leaseMs: 10 * MINUTE,
    heartbeatMs: null,
    renewedBy: 'nothing',
    serializeTargets: false,
    strict: true,
  },
  target: {
    ...DEFAULT,
    order: 'fifo',
    // A failure waits for a person, so there is no delay to compute.
    maxRetries: 0,
    retryBaseMs: 0,
    retryCapMs: 0,
    jitterLow: 0,
    jitterHigh: 0,
    leaseMs: 10 * SECOND,
    heartbeatMs: 2 * SECOND,
    onLeaseLost: 'error',
    onCancel: 'pause',
    onShutdown: 'pause',
    onError: 'block',
  },
  catalog: {
    ...DEFAULT,
    order: 'fifo',
    maxRetries: 3,
    retryBaseMs: SECOND,
    retryCapMs: MINUTE,
    serializeTargets: false,
  },
}
