// BullMQ as a contender, on Redis or, with `url` in the plan, on its Postgres backend. A completed job stays unless the
// settings remove it, as its page on performance advises; a lock token fences its completion; there are no attempt rows.
import { createPostgresBackend, Queue, runMigrations, Worker } from 'bullmq'
import pg from 'pg'
import { answerPlan, byCallers, inBatches, tell, timed } from '../answer.js'
import { Waiting, weighWaiting } from '../memory.js'

const QUEUE = 'bench'

const connectionOf = ({ url, redisPort }, max = 10) =>
  url ? { connectionString: url, max } : { host: '127.0.0.1', port: redisPort, maxRetriesPerRequest: null }

const backendOf = ({ url }) => (url ? [createPostgresBackend] : [])

async function withQueue(plan, max, work) {
  const queue = new Queue(QUEUE, { connection: connectionOf(plan, max) }, ...backendOf(plan))
  queue.on('error', (error) => console.error(error))
  try {
    await queue.waitUntilReady()
    return await work(queue)
  } finally {
    await queue.close()
  }
}

function newJob(step, n) {
  const padding = step.payloadBytes ? { padding: 'x'.repeat(step.payloadBytes) } : {}
  return { name: 'noop', data: { n, ...padding } }
}

function openWorker(plan, { concurrency, remove }, run) {
  const worker = new Worker(
    QUEUE,
    run,
    {
      connection: connectionOf(plan, Math.max(10, concurrency)),
      autorun: false,
      ...(concurrency > 1 ? { concurrency } : {}),
      ...(remove ? { removeOnComplete: { count: 0 } } : {}),
    },
    ...backendOf(plan),
  )
  worker.on('error', (error) => console.error(error))
  return worker
}

async function drain(plan, { jobs, concurrency, workers, remove }) {
  let started = 0
  let completed = 0
  let finished = () => {}
  const all = new Promise((resolve) => {
    finished = resolve
  })
  const open = Array.from({ length: workers }, () => {
    const worker = openWorker(plan, { concurrency, remove }, async () => {
      started += 1
    })
    worker.on('completed', () => {
      completed += 1
      tell(completed)
      if (completed === jobs) finished()
    })
    return worker
  })
  await Promise.all(open.map((worker) => worker.waitUntilReady()))
  const result = await timed(jobs, () => {
    for (const worker of open) worker.run().catch((error) => console.error(error))
    return all
  })
  await Promise.all(open.map((worker) => worker.close()))
  if (started !== jobs || completed !== jobs)
    throw new Error(`${started} jobs ran and ${completed} completed instead of ${jobs}`)
  return result
}

const steps = {
  async prepare({ url }) {
    if (!url) return
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await runMigrations(client)
    await client.end()
  },

  bulk: (plan, step) =>
    withQueue(plan, step.parallel, (queue) =>
      timed(step.jobs, () =>
        inBatches(step, (from, to) =>
          queue.addBulk(Array.from({ length: to - from }, (_, i) => newJob(step, from + i))),
        ),
      ),
    ),

  concurrent: (plan, step) =>
    withQueue(plan, step.pool, (queue) =>
      timed(step.jobs, () => byCallers(step, (n) => queue.add('noop', { n }))),
    ),

  drain,
  /** The Worker is its run loop already. */
  work: drain,

  /** The weight of handlers that wait, all of them in one Worker. */
  async waiting(plan, { jobs, batch, remove }) {
    const handlers = new Waiting()
    let completed = 0
    let look = () => {}
    const worker = openWorker(plan, { concurrency: jobs, remove }, handlers.handler)
    worker.on('completed', () => {
      completed += 1
      look()
    })
    await worker.waitUntilReady()
    worker.run().catch((error) => console.error(error))
    const result = await withQueue(plan, 2, (queue) =>
      weighWaiting(jobs, {
        async fill() {
          completed = 0
          await inBatches({ jobs, batch, parallel: 1 }, (from, to) =>
            queue.addBulk(Array.from({ length: to - from }, (_, i) => newJob({}, from + i))),
          )
          await handlers.reached(jobs)
        },
        empty: () =>
          new Promise((resolve) => {
            look = () => {
              if (completed === jobs) resolve()
            }
            handlers.release()
          }),
      }),
    )
    await worker.close()
    return result
  },

  verify: (plan, { finished, waiting, remove = false }) =>
    withQueue(plan, 2, async (queue) => {
      const found = await queue.getJobCounts('wait', 'active', 'delayed', 'failed', 'completed')
      const wanted = { wait: waiting, active: 0, delayed: 0, failed: 0, completed: remove ? 0 : finished }
      for (const [state, count] of Object.entries(wanted)) {
        const waitingToo = state === 'wait' ? (found.waiting ?? found.wait) : found[state]
        if ((waitingToo ?? 0) !== count) throw new Error(`${state} is ${waitingToo} instead of ${count}`)
      }
    }),
}

await answerPlan(steps)
