/** The past of the shop: step by step jobs arrive, are claimed and end, and what upkeep does all day is done. */
import type { ClaimedJob, Ending, Store } from 'holdfast/store'
import type { PinnedClock } from 'holdfast/testing'
import { DOWN_MINUTES, KINDS, PARTNER_DOWN, WORKERS } from './shop.js'

export type Leases = ReadonlyMap<string, number>

interface Span {
  readonly now: Date
  readonly everyMinutes: number
  readonly jobsPerStep: number
  readonly lifelike: boolean
}

const MINUTE_MS = 60_000
const LEASE_MS = 12 * 60 * MINUTE_MS
const LIFELIKE_LEASE_MS = 20 * MINUTE_MS
/** In the last so many minutes of a lifelike past there is a step every minute: a chart of the last hour is no comb. */
const CLOSE_MINUTES = 75
/** The first retry of billing comes after 30 s and a bit. */
const RETRIED_MS = 37_000
const VERSION_BEFORE = '1.4.1'
/** The scheduler looked last so long before the present, so that a schedule is late. */
const SCHEDULER_STOPPED_MS = 25 * MINUTE_MS

/** Always the same numbers, in [0, 1). */
function numbers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

export async function passTime(store: Store, clock: PinnedClock, span: Span): Promise<Leases> {
  const { now, everyMinutes, jobsPerStep, lifelike } = span
  const random = numbers(7)
  const leases = new Map<string, number>()
  const leaseMs = lifelike ? LIFELIKE_LEASE_MS : LEASE_MS
  for (const { worker } of WORKERS) leases.set(worker, (await store.work.openLease(worker, leaseMs)).lease)
  const end = now.getTime() - (lifelike ? 0.5 : 2) * MINUTE_MS
  let wasDown: boolean | undefined
  let at = (await clock.now()).getTime()
  for (let step = 0; at < end; step += 1) {
    await clock.set(new Date(at))
    const isDown = now.getTime() - at < DOWN_MINUTES * MINUTE_MS
    if (lifelike || step % 10 === 9 || isDown !== wasDown) await heartbeats(store, isDown)
    wasDown = isDown
    if (lifelike || step % 10 === 9) await store.work.renew([...leases.values()])
    // More by day than by night.
    const hour = new Date(at).getUTCHours()
    const usual = jobsPerStep * (0.6 + 0.4 * Math.sin(((hour - 6) / 24) * 2 * Math.PI))
    const isClose = lifelike && now.getTime() - at <= CLOSE_MINUTES * MINUTE_MS
    const minutes = isClose ? 1 : everyMinutes
    const jobs = Math.round(isClose ? (usual / everyMinutes) * (0.7 + 0.6 * random()) : usual)
    await store.enqueueMany(
      Array.from({ length: Math.max(jobs, 3) }, (_, n) => newJob(step * 100 + n, random)),
    )
    await clock.advance(lifelike ? 60 + Math.round(400 * random()) : 20 + Math.round(900 * random() ** 4))
    await workOff(store, clock, leases, random, isDown)
    if (lifelike && !isClose) {
      // What is retried soon does not wait until the next step.
      await clock.advance(RETRIED_MS)
      await store.upkeep.promoteDueWork()
      await workOff(store, clock, leases, random, isDown)
    }
    if (now.getTime() - at > SCHEDULER_STOPPED_MS) await store.scheduler.fireDue()
    await store.upkeep.promoteDueWork()
    await store.upkeep.countMinutes(10_000)
    await store.alerts.check()
    at += minutes * MINUTE_MS
  }
  return leases
}

async function heartbeats(store: Store, isDown: boolean): Promise<void> {
  await Promise.all(
    WORKERS.map(({ worker, queues, version, appVersion, slots }, n) =>
      store.work.heartbeat({
        ...{
          worker,
          queues,
          version,
          appVersion: isDown || !worker.startsWith('billing') ? appVersion : VERSION_BEFORE,
          slots,
          busy: Math.round(slots / 3),
          host: `node-${n % 3}`,
          pid: 4_200 + n,
        },
        kinds: kindsOf(queues),
        ...{ tenant: 'default', lagMs: 2 + n, draining: false },
      }),
    ),
  )
}

export function kindsOf(queues: readonly string[]): string[] {
  return KINDS.filter(({ queue }) => queues.includes(queue)).map(({ kind }) => kind)
}

function newJob(n: number, random: () => number) {
  let share = random()
  const found = KINDS.find((each) => {
    share -= each.share
    return share < 0
  })
  const { kind, queue } = found ?? KINDS[0]
  const customer = 1_000 + Math.floor(random() * 9_000)
  return {
    ...{ queue, kind, createdBy: 'checkout@1.4.2', labels: { region: customer % 3 === 0 ? 'eu' : 'us' } },
    input: { user: { id: `u_${customer}` }, order: 70_000 + n, amount: Math.round(random() * 99_900) / 100 },
    ...(queue === 'conversations' ? { target: `customer:${customer}` } : {}),
  }
}

async function workOff(
  store: Store,
  clock: PinnedClock,
  leases: Leases,
  random: () => number,
  isDown: boolean,
): Promise<void> {
  const claimed: { job: ClaimedJob; worker: string }[] = []
  // One after the other: workers of one queue must not race for its jobs.
  for (const { worker, queues, slots } of WORKERS) {
    const lease = leases.get(worker) as number
    for (const job of await store.work.claim({ worker, lease, queues, limit: slots }))
      claimed.push({ job, worker })
  }
  claimed.sort((one, other) => one.job.jobId - other.job.jobId)
  await clock.advance(3_000)
  if (claimed.length > 0)
    await store.work.finish(claimed.map(({ job, worker }) => endOf(job, worker, random, isDown)))
}

/** With a stack of the shop's own program, which is the same on every machine. */
export function errorOf(message: string, more: object = {}): Error {
  const stack = `Error: ${message}\n    at charge (/app/src/billing/charge.ts:41:11)\n    at async run (/app/src/jobs.ts:18:5)`
  return Object.assign(new Error(message), { stack, ...more })
}

function endOf(job: ClaimedJob, worker: string, random: () => number, isDown: boolean): Ending {
  const { runMs } = KINDS.find(({ kind }) => kind === job.kind) ?? KINDS[0]
  const startedAgoMs = Math.min(2_900, Math.round(runMs * (0.5 + random() + 3 * random() ** 6)))
  const log = `begun on ${worker}\norder ${(job.input as { order?: number } | null)?.order ?? '-'} read\n`
  const failed = (message: string, more: object = {}): Ending => ({
    ...{ ...job, outcome: 'failed', startedAgoMs, log: `${log}${message}\n` },
    error: errorOf(message, more),
  })
  if (job.kind === 'charge-card' && isDown && random() < 0.87)
    return failed(PARTNER_DOWN, { code: 'ECONNREFUSED' })
  if (job.kind === 'charge-card' && random() < 0.02) return failed('card_declined: insufficient_funds')
  if (job.kind === 'send-email' && random() < 0.01) return failed('550 mailbox does not exist')
  return { ...job, outcome: 'succeeded', startedAgoMs, log, result: { ok: true, ms: startedAgoMs } }
}
