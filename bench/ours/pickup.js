// How long a job waits that was enqueued in a caller's own transaction, which stays open for 20 ms: a claimer that skips
// ahead of what it believes to be drained would find such a job late. Counted from the moment COMMIT is sent.
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'

const HELD_OPEN_MS = 20
const PRODUCERS = 4
const POLL_MS = 2

export async function pickup(store, { url, queue, count }) {
  const committed = new Map()
  const seen = new Map()
  const { lease } = await store.work.openLease('pickup', 60_000)
  let started = 0
  const produce = async () => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    while (started < count) {
      started += 1
      await client.query('begin')
      const { jobId } = await store.enqueue({ queue, kind: 'noop', input: {} }, { tx: client })
      await wait(HELD_OPEN_MS)
      committed.set(jobId, performance.now())
      await client.query('commit')
    }
    await client.end()
  }
  const claimer = store.work.claimer()
  const consume = async (enough) => {
    while (!enough()) {
      const jobs = await claimer.claim({ worker: 'pickup', lease, queues: [queue], limit: 100 })
      const now = performance.now()
      for (const job of jobs) seen.set(job.jobId, now)
      if (jobs.length === 0) await wait(POLL_MS)
      else await store.work.finish(jobs.map((job) => ({ ...fence(job), outcome: 'succeeded' })))
    }
  }
  // Measure a worker that has been running for a while: the first claim of a claimer searches everything.
  await store.enqueue({ queue, kind: 'noop', input: {} })
  await consume(() => seen.size > 0)
  const warm = seen.size
  await Promise.all([consume(() => seen.size >= count + warm), ...Array.from({ length: PRODUCERS }, produce)])
  await store.work.closeLease(lease)
  return { waits: [...committed].map(([jobId, at]) => seen.get(jobId) - at), warm }
}

function fence({ jobId, attempt, lease }) {
  return { jobId, attempt, lease }
}
