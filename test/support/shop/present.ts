/** What is going on in the shop right now. */
import type { ClaimedJob, Store } from 'holdfast/store'
import type { PinnedClock } from 'holdfast/testing'
import { errorOf, type Leases } from './past.js'
import { PARTNER_DOWN, WORKERS } from './shop.js'

export interface Present {
  /** The job that blocks `customer:4411`, and those behind it. */
  readonly blocked: number
  readonly behind: readonly number[]
  /** A job that runs, with progress and a child. */
  readonly running: number
  /** A job that failed for good after five attempts. */
  readonly failed: number
  /** One of the jobs of a queue without a worker. */
  readonly unserved: number
}

export const BLOCKED_TARGET = 'customer:4411'
const MINUTE_MS = 60_000

export async function addPresent(
  store: Store,
  clock: PinnedClock,
  { now, leases }: { now: Date; leases: Leases },
): Promise<Present> {
  const ago = (ms: number) => clock.set(new Date(now.getTime() - ms))
  const claim = async (jobId: number, worker: string): Promise<ClaimedJob> => {
    const job = await store.work.claimById(jobId, { worker, lease: leases.get(worker) as number })
    if (job === undefined) throw new Error(`job ${jobId} of the shop cannot be claimed`)
    return job
  }
  await ago(22 * MINUTE_MS)
  const [blocked, ...behind] = await addConversation(store, claim)
  const failed = await addFailure(store, clock, claim)
  await ago(11 * MINUTE_MS)
  const unserved = await addReports(store)
  await store.queues.pause('images', { actor: 'ada', reason: 'S3 maintenance until 18:00' })
  await store.enqueueMany(
    Array.from({ length: 36 }, (_, n) => ({ queue: 'images', kind: 'resize-image', input: { photo: n } })),
  )
  await store.schedules.pause('clean-thumbnails', { actor: 'ada', reason: 'S3 maintenance' })
  await ago(95_000)
  const running = await addRunning(store, claim)
  await addOthers(store)
  await clock.set(now)
  return { blocked: blocked as number, behind, running, failed, unserved }
}

/** Jobs that run at this moment. Answers how many each worker has, as WORKERS is ordered. */
export async function addBusy(
  store: Store,
  clock: PinnedClock,
  { now, leases }: { now: Date; leases: Leases },
): Promise<number[]> {
  await clock.set(new Date(now.getTime() - 4_000))
  await store.enqueueMany([
    ...Array.from({ length: 9 }, (_, n) => ({
      ...{ queue: 'billing', kind: 'charge-card', createdBy: 'checkout@1.4.2' },
      input: { user: { id: `u_${5_200 + n}` }, order: 71_900 + n, amount: 20 + n },
    })),
    ...Array.from({ length: 12 }, (_, n) => ({
      ...{ queue: 'conversations', kind: 'reply', target: `customer:${6_000 + n}`, createdBy: 'chat@2.0.1' },
      input: { message: `m_${n}`, user: { id: `u_${6_000 + n}` } },
    })),
    ...Array.from({ length: 8 }, (_, n) => ({
      ...{
        queue: 'mails',
        kind: 'send-email',
        createdBy: 'checkout@1.4.2',
        input: { template: `receipt-${n}` },
      },
    })),
  ])
  await store.upkeep.promoteDueWork()
  const claimed: number[] = []
  for (const [n, limit] of [6, 5, 7, 4, 8].entries()) {
    const { worker, queues } = WORKERS[n] as (typeof WORKERS)[number]
    const jobs = await store.work.claim({ worker, lease: leases.get(worker) as number, queues, limit })
    await store.work.start(jobs)
    claimed.push(jobs.length)
  }
  await clock.set(now)
  await store.work.renew([...leases.values()])
  // The import of addPresent runs on mailer-1 as well.
  return claimed.map((jobs, n) => (n === 4 ? jobs + 1 : jobs))
}

type Claim = (jobId: number, worker: string) => Promise<ClaimedJob>

async function addConversation(store: Store, claim: Claim): Promise<number[]> {
  const made = await store.enqueueMany(
    Array.from({ length: 15 }, (_, n) => ({
      ...{ queue: 'conversations', kind: 'reply', target: BLOCKED_TARGET, createdBy: 'chat@2.0.1' },
      input: { message: `m_${n}`, user: { id: 'u_4411' } },
    })),
  )
  const ids = made.map(({ jobId }) => jobId)
  const head = await claim(ids[0] as number, 'chat-1')
  await store.work.finish([
    {
      ...head,
      ...{ outcome: 'failed', error: errorOf('token limit exceeded'), startedAgoMs: 0 },
      log: 'prompt has 9,120 tokens\nthe model allows 8,192\n',
    },
  ])
  return ids
}

async function addFailure(store: Store, clock: PinnedClock, claim: Claim): Promise<number> {
  const { jobId } = await store.enqueue({
    ...{ queue: 'billing', kind: 'charge-card', key: 'order:71842', maxRetries: 2, priority: 60 },
    ...{ trace: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', createdBy: 'checkout@1.4.2' },
    input: {
      user: { id: 'u_8812' },
      order: 71_842,
      amount: 249.9,
      card: '[redacted]',
      total: 90071992547409,
    },
    labels: { region: 'eu', plan: 'team' },
  })
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const job = await claim(jobId, attempt === 2 ? 'billing-2' : 'billing-1')
    await clock.advance(4_100)
    const error = errorOf(PARTNER_DOWN, { code: 'ECONNREFUSED' })
    const log = `charging order 71842\nPOST https://cards.example/charges\n${error.message}\n`
    await store.work.finish([{ ...job, outcome: 'failed', error, log, startedAgoMs: 4_000 }])
    await clock.advance(4 * MINUTE_MS)
    await store.upkeep.promoteDueWork()
  }
  return jobId
}

async function addReports(store: Store): Promise<number> {
  const made = await store.enqueueMany(
    Array.from({ length: 4 }, (_, n) => ({ queue: 'reports', kind: 'nightly-report', input: { part: n } })),
  )
  return made[0]?.jobId as number
}

async function addRunning(store: Store, claim: Claim): Promise<number> {
  const { jobId } = await store.enqueue({
    ...{ queue: 'crm', kind: 'import-contacts', key: 'import:2026-11', createdBy: 'ada@acme.com' },
    input: { file: 's3://imports/november.csv', rows: 12_000, notify: ['ada@acme.com'] },
  })
  const job = await claim(jobId, 'mailer-1')
  await store.work.start([job])
  await store.work.report({
    ...{ ...job, seq: 1, progress: { done: 7_420, of: 12_000 }, cursor: { row: 7_420 } },
    items: [{ id: 'c_1', name: 'Ada' }],
  })
  await store.enqueueMany([
    {
      queue: 'mails',
      kind: 'send-email',
      parentId: jobId,
      delayMs: 600_000,
      input: { template: 'import-done' },
    },
    { queue: 'crm', kind: 'sync-contact', parentId: jobId, input: { contact: 'c_1' } },
  ])
  return jobId
}

async function addOthers(store: Store): Promise<void> {
  await store.enqueueMany([
    { queue: 'mails', kind: 'send-email', pending: true, input: { template: 'approve-refund' } },
    ...Array.from({ length: 9 }, (_, n) => ({
      ...{
        queue: 'mails',
        kind: 'send-email',
        delayMs: (n + 1) * 5 * MINUTE_MS,
        input: { template: 'reminder' },
      },
    })),
  ])
  const { jobId } = await store.enqueue({ queue: 'mails', kind: 'send-email', input: { template: 'sale' } })
  await store.commands.cancel(jobId, { actor: 'ada', reason: 'the sale is over' })
}
