/**
 * SQS beside Postgres: jobs of queues whose policy names a trigger are announced through SQS, and workers with the bridge claim the
 * announced jobs. Postgres stays the source of truth. A message that is lost, repeated, late, out of order or forged only changes when a
 * worker looks for jobs.
 */

import { holdfastError } from '../../domain/errors/errors.js'
import type { Log } from '../../domain/log.js'
import { checkName } from '../../domain/validate.js'
import type { Store } from '../../store/store.js'
import type { Trigger, TriggeredWorker, Triggering } from '../../store/triggers/trigger.js'
import type { OutboxDepth, TriggerName } from '../../store/triggers/triggers.js'
import { openSqs, type SqsCalls, type SqsPlace } from './calls.js'
import { Counts, type SqsCounts } from './counts.js'
import {
  type DeadLetterParts,
  type Reconciled,
  type Redriven,
  type RedriveOptions,
  reconcile,
  redrive,
} from './dead-letters.js'
import { Inbox } from './inbox.js'
import { Reconciler, TURN_MS } from './reconciler.js'
import { Relay } from './relay.js'

export interface SqsOptions extends SqsPlace {
  readonly queueUrl: string
  /** The dead-letter queue of SQS; failed jobs are announced there too. */
  readonly deadLetterUrl?: string
  /** The name that queues have as their `externalTrigger`; `sqs` if not given. */
  readonly trigger?: string
  /** False: a worker only receives, and another program sends: `bridge.relay`, or `holdfast sqs relay`. */
  readonly send?: boolean
  /** How long a job may wait after its first message before another is sent; the interval doubles each time. 5 minutes if not given. */
  readonly resendMs?: number
  /** How often a worker claims as usual, in case messages were lost. 30 seconds if not given. */
  readonly fallbackPollMs?: number
  /** When a job that could not be started is announced again, because its queue is at its limit, for example. 5 seconds if omitted. */
  readonly deferMs?: number
  /** How often the outbox is polled without notifications from the database. 1 second if omitted. */
  readonly pollMs?: number
  /** How often the sender compares dead letters with the jobs; 0: only on request. 15 minutes if omitted. */
  readonly reconcileMs?: number
  /** How long a receive waits for messages, and how long a shutdown waits for the receive. 10 seconds if not given. */
  readonly waitSeconds?: number
}

/** The tenant; `default` if not given. */
interface OfTenant {
  readonly tenant?: string
}

export interface SqsStatus {
  readonly outbox: OutboxDepth
  readonly queue: SqsDepth
  readonly deadLetters: SqsDepth | null
}

/** Estimates by SQS. */
export interface SqsDepth {
  readonly visible: number
  readonly inFlight: number
  readonly delayed: number
}

/** Pass it to `app.work({ trigger })`. */
export interface SqsBridge extends Trigger {
  /** Sends messages until it is stopped, in a program that does not work on jobs. */
  relay(store: Store, options?: OfTenant & { log?: Log }): Promise<{ stop(): Promise<void> }>
  /** Counts all messages of this bridge by what happened to them. Metrics have the same counts (docs/metrics.md). */
  counts(): SqsCounts
  status(store: Store, options?: OfTenant): Promise<SqsStatus>
  /** Compares the dead-letter queue with the jobs, in both directions, and corrects differences. */
  reconcile(store: Store, options?: OfTenant & { limit?: number }): Promise<Reconciled>
  /** Retries failed jobs of the dead-letter queue. */
  redrive(store: Store, options?: OfTenant & RedriveOptions): Promise<Redriven>
  /** Call it when nothing uses the bridge any more. */
  close(): void
}

const DEFAULTS = {
  trigger: 'sqs',
  resendMs: 300_000,
  fallbackPollMs: 30_000,
  deferMs: 5_000,
  pollMs: 1_000,
  reconcileMs: 900_000,
  waitSeconds: 10,
}
/** Minimum and maximum of each option; `reconcileMs` may also be 0. */
export const SQS_LIMITS = {
  resendMs: [1_000, 86_400_000],
  fallbackPollMs: [100, 86_400_000],
  deferMs: [100, 3_600_000],
  pollMs: [10, 60_000],
  reconcileMs: [1_000, 86_400_000],
  waitSeconds: [0, 20],
} as const

type SetOptions = SqsOptions & Required<Pick<SqsOptions, keyof typeof DEFAULTS>>

export async function connectSqs(given: SqsOptions): Promise<SqsBridge> {
  const options: SetOptions = { ...DEFAULTS, ...given }
  check(options)
  return new Bridge(options, await openSqs(options))
}

interface RelayInUse {
  readonly store: Store
  readonly tenant: string
  readonly relay: Relay
  readonly reconciler: Reconciler | undefined
  users: number
}

class Bridge implements SqsBridge {
  readonly name: string
  readonly #options: SetOptions
  readonly #sqs: SqsCalls
  readonly #counts = new Counts()
  /** One for all workers of a tenant that share connections. */
  readonly #relays = new Set<RelayInUse>()

  constructor(options: SetOptions, sqs: SqsCalls) {
    this.name = options.trigger
    this.#options = options
    this.#sqs = sqs
  }

  async attach(worker: TriggeredWorker): Promise<Triggering> {
    const { queueUrl, waitSeconds, fallbackPollMs, deferMs, send = true } = this.#options
    const { store, tenant, queues, log } = worker
    const attributes = await this.#sqs.attributes(queueUrl).catch((error: Error) => {
      log?.warn(
        { event: 'sqs_attributes_failed', error: error.message },
        'could not read the SQS queue; claiming without it',
      )
      return {} as Record<string, string>
    })
    const triggered = new Set(await store.triggers.queuesOf(this.#of(tenant), queues))
    const terms = await store.workers.terms(queues, tenant)
    const own = terms.filter(({ renewedBy }) => renewedBy !== 'heartbeat').map(({ leaseMs }) => leaseMs)
    const byDefaultMs = own.includes(null) ? (await store.settings.get('LEASE_SEC_DEFAULT')) * 1000 : 0
    const used = send ? this.#use(store, tenant, queues, log) : undefined
    return new Inbox({
      worker,
      sqs: this.#sqs,
      queueUrl,
      waitSeconds,
      fallbackPollMs,
      deferMs,
      counts: this.#counts,
      untriggered: queues.filter((queue) => !triggered.has(queue)),
      hasDeadLetters: attributes.RedrivePolicy !== undefined,
      ownLeaseMs: Math.max(0, ...own.map((leaseMs) => leaseMs ?? byDefaultMs)),
      closed: async () => (used === undefined ? undefined : this.#leave(used)),
    })
  }

  async relay(store: Store, { tenant = 'default', log }: OfTenant & { log?: Log } = {}) {
    const listed = await store.queues.list({ tenant })
    const queues = listed.filter((each) => each.externalTrigger === this.#options.trigger)
    if (queues.length === 0)
      log?.warn(
        { event: 'sqs_trigger_unused', trigger: this.#options.trigger },
        'no queue has this trigger yet',
      )
    const names = queues.map(({ name }) => name)
    const used = this.#use(store, tenant, names, log)
    return { stop: () => this.#leave(used) }
  }

  counts(): SqsCounts {
    return this.#counts.read()
  }

  async status(store: Store, { tenant }: OfTenant = {}): Promise<SqsStatus> {
    const { queueUrl, deadLetterUrl } = this.#options
    const [outbox, queue, dead] = await Promise.all([
      store.triggers.depth(this.#of(tenant)),
      this.#sqs.attributes(queueUrl),
      deadLetterUrl === undefined ? undefined : this.#sqs.attributes(deadLetterUrl),
    ])
    return { outbox, queue: depthOf(queue), deadLetters: dead === undefined ? null : depthOf(dead) }
  }

  async reconcile(store: Store, { tenant, limit }: OfTenant & { limit?: number } = {}): Promise<Reconciled> {
    const parts = this.#deadLetters(store, tenant)
    // Relays do not compare meanwhile.
    await store.triggers.setReconcileTurn(parts.of, TURN_MS)
    return reconcile(parts, limit === undefined ? {} : { limit })
  }

  redrive(store: Store, { tenant, ...options }: OfTenant & RedriveOptions = {}): Promise<Redriven> {
    return redrive(this.#deadLetters(store, tenant), options)
  }

  close(): void {
    this.#sqs.close()
  }

  #of(tenant: string | undefined): TriggerName {
    const { trigger } = this.#options
    return { trigger, ...(tenant === undefined ? {} : { tenant }) }
  }

  #deadLetters(store: Store, tenant: string | undefined): DeadLetterParts {
    const { deadLetterUrl } = this.#options
    if (deadLetterUrl === undefined)
      throw holdfastError('invalid_input', {
        path: '/deadLetterUrl',
        problem: 'there is no dead-letter queue',
      })
    return { sqs: this.#sqs, store, of: this.#of(tenant), deadLetterUrl, counts: this.#counts }
  }

  #use(store: Store, tenant: string, queues: readonly string[], log: Log | undefined): RelayInUse {
    const known = [...this.#relays].find((each) => each.store === store && each.tenant === tenant)
    if (known !== undefined) {
      known.users += 1
      return known
    }
    const { queueUrl, deadLetterUrl, resendMs, pollMs, reconcileMs: everyMs } = this.#options
    const relay = new Relay({
      sqs: this.#sqs,
      store,
      of: this.#of(tenant),
      queueUrl,
      deadLetterUrl,
      resendMs,
      pollMs,
      queues,
      wakeups: store.wakeups(tenant),
      counts: this.#counts,
      log,
    })
    const reconciler =
      deadLetterUrl === undefined || everyMs === 0
        ? undefined
        : new Reconciler({ ...this.#deadLetters(store, tenant), everyMs, log })
    const made = { store, tenant, relay, reconciler, users: 1 }
    this.#relays.add(made)
    relay.start()
    reconciler?.start()
    return made
  }

  async #leave(used: RelayInUse): Promise<void> {
    used.users -= 1
    if (used.users > 0 || !this.#relays.delete(used)) return
    await Promise.all([used.relay.stop(), used.reconciler?.stop()])
  }
}

function check(options: SetOptions): void {
  checkName(options.trigger, '/trigger')
  for (const name of ['queueUrl', 'deadLetterUrl'] as const) {
    const url = options[name]
    if (url === undefined && name === 'deadLetterUrl') continue
    if (url === undefined || !/^https?:\/\/./.test(url))
      throw refuse(
        `/${name}`,
        'must be the address of a queue, like https://sqs.eu-west-1.amazonaws.com/1234/jobs',
      )
  }
  for (const [name, [min, max]] of Object.entries(SQS_LIMITS)) {
    const value = options[name as keyof typeof SQS_LIMITS]
    const orZero = name === 'reconcileMs'
    if (orZero && value === 0) continue
    if (!Number.isInteger(value) || value < min || value > max)
      throw refuse(`/${name}`, `must be a whole number from ${min} to ${max}${orZero ? ', or 0' : ''}`)
  }
}

function refuse(path: string, problem: string) {
  return holdfastError('invalid_input', { path, problem })
}

function depthOf(attributes: Readonly<Record<string, string>>): SqsDepth {
  const number = (name: string) => Number(attributes[name] ?? 0)
  return {
    visible: number('ApproximateNumberOfMessages'),
    inFlight: number('ApproximateNumberOfMessagesNotVisible'),
    delayed: number('ApproximateNumberOfMessagesDelayed'),
  }
}
