// A worker process for tests, told by messages what to do and telling what happens to it. It runs the compiled package, because
// plain Node cannot run TypeScript, and a thread or a process cannot either.
const { dist, url, schema, options } = JSON.parse(process.argv[2])
const at = (file) => import(new URL(file, dist).href)
const { openStore } = await at('store.js')
const { storePort } = await at('store/port.js')
const { createWorker } = await at('worker/worker.js')

const tell = (message) => process.send?.(message)
const CONNECTIONS = 5
const store = await openStore({ url, schema, connections: CONNECTIONS })

let go
const told = new Promise((resolve) => {
  go = resolve
})

/** What to do with a job is in its input, so that a kind can behave differently from job to job. */
async function handle(context, { does, ms = 0 } = {}) {
  const { jobId, attempt } = context
  tell({ began: jobId, attempt })
  if (does === 'die') process.exit(1)
  if (does === 'spin') for (const end = performance.now() + ms; performance.now() < end; ) Math.random()
  if (does === 'hold' && options.holds) await told
  if (does === 'wait') await untilAborted(context)
  if (does === 'hog') await takeEveryConnection(jobId)
  if (does === 'effect') {
    if (options.holds) await told
    // Deaf to its signal on purpose: the fence must do without its help.
    return context.commit(async (tx) => {
      await tx.query(`insert into ${schema}.effect values ($1, $2)`, [jobId, process.pid])
      return process.pid
    })
  }
  return { pid: process.pid }
}

/** Until told to go. */
async function takeEveryConnection(jobId) {
  let taken = 0
  const hold = () =>
    store.database.transaction(
      async (session) => {
        await session.query('select 1')
        taken += 1
        if (taken === CONNECTIONS) tell({ hogs: jobId })
        await told
      },
      { deadlineMs: 60_000 },
    )
  await Promise.all(Array.from({ length: CONNECTIONS }, hold))
}

const untilAborted = ({ signal, jobId }) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => {
      tell({ aborted: jobId, code: signal.reason.code })
      reject(signal.reason)
    })
  })

const run = async (context, input) => {
  try {
    return await handle(context, input)
  } catch (error) {
    tell({ threw: context.jobId, code: error.code, name: error.name })
    throw error
  }
}

const worker = createWorker({
  port: storePort(store),
  queues: ['work'],
  pollMs: 50,
  ...options,
  jobs: new Map([
    ['job', { handler: run }],
    ...Object.entries(options.isolated ?? {}).map(([kind, entry]) => [kind, entry]),
  ]),
  heartbeat: { module: new URL('store/port.js', dist).href, options: { url, schema, connections: 2 } },
  extras: { commit: (ending, work) => store.work.commit(ending, work) },
  onEnded: (ended) => tell({ ended }),
})

process.on('message', async (message) => {
  if (message === 'go') go()
  if (message === 'stats') tell({ stats: worker.stats() })
  if (message === 'drain') {
    tell({ drained: await worker.drain() })
    await store.close()
    process.disconnect()
  }
})

await worker.start()
tell({ ready: worker.name })
