/**
 * The policy of a queue: order, retries, leases, deduplication, limits and retention. A preset (src/presets) is a named policy with its
 * own state words.
 * Null means "use the current setting" for the retry and lease numbers, "unlimited" for the crash budget, and "none" for heartbeat,
 * timeout, items key and limits.
 */
/** The values of the fields that take one of a few. The check constraints of the table `preset` list the same ones. */
export const POLICY_VALUES = {
  order: ['priority', 'fifo', 'global_fifo'],
  renewedBy: ['heartbeat', 'report', 'nothing'],
  onLeaseLost: ['retry', 'count', 'error'],
  onCancel: ['cancel', 'pause'],
  onShutdown: ['release', 'pause'],
  onError: ['continue', 'block'],
  dedup: ['return_existing', 'replace', 'reject'],
  dedupBy: ['key', 'subject'],
  unknownKinds: ['refuse', 'accept'],
} as const

type PolicyValue<Name extends keyof typeof POLICY_VALUES> = (typeof POLICY_VALUES)[Name][number]

export interface Policy {
  /**
   * `fifo` ignores priority; both are in order of creation within a priority. A worker that serves several queues takes a share of each;
   * those with `global_fifo` it takes together, in order of creation over all of them.
   */
  readonly order: PolicyValue<'order'>
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
  readonly renewedBy: PolicyValue<'renewedBy'>
  /**
   * `retry`: back to the queue, as long as the crash budget lasts. `count`: likewise, and the lost lease counts as a failed attempt, so
   * that `maxRetries` limits it too. `error`: a person decides.
   */
  readonly onLeaseLost: PolicyValue<'onLeaseLost'>
  /** Leases lost in a row before the job itself counts as what kills its workers. */
  readonly crashBudget: number | null
  /** What a cancellation makes of a running job. */
  readonly onCancel: PolicyValue<'onCancel'>
  /** What a draining worker makes of the jobs it cannot finish. */
  readonly onShutdown: PolicyValue<'onShutdown'>
  /** Jobs of one target run one after the other. */
  readonly serializeTargets: boolean
  /** `block`: a failure is held as `errored`, in front of its target, until a person decides. */
  readonly onError: PolicyValue<'onError'>
  /** What enqueue does when a live job holds the same key. */
  readonly dedup: PolicyValue<'dedup'>
  /** `subject`: a job without a key is known by its subject. */
  readonly dedupBy: PolicyValue<'dedupBy'>
  /** Ended means ended: nothing but a new job follows `succeeded` and `failed`, and only a worker ends a job. */
  readonly strict: boolean
  /** Longest time of one attempt, whatever its lease. */
  readonly timeoutMs: number | null
  /** The field of an item that makes it a duplicate of another. */
  readonly itemsKey: string | null
  /** Which trigger is notified, through the outbox, that a job can be claimed (for example `sqs`). */
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
  /** A job's start is recorded before it begins, so that it reads `running` at once, not with the next heartbeat. Costs an update a job. */
  readonly recordStarts: boolean
  /** What enqueue does with a kind that no program has declared, if the queue has declared kinds. */
  readonly unknownKinds: PolicyValue<'unknownKinds'>
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

export const DEFAULT_POLICY: Policy = {
  order: 'priority',
  maxRetries: 4,
  retryBaseMs: 5 * SECOND,
  retryFactor: 2,
  retryCapMs: HOUR,
  jitterLow: -0.2,
  jitterHigh: 0.2,
  leaseMs: 30 * SECOND,
  heartbeatMs: 10 * SECOND,
  renewedBy: 'heartbeat',
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
  recordStarts: false,
  unknownKinds: 'refuse',
}
