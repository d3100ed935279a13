// How a batched worker process drains queues: one lease for the process, renewed by heartbeats, and a few lanes that each
// claim a batch, run it and finish it. While one lane finishes its last batch another claims the next one.

const LEASE_MS = 60_000
const BEAT_MS = 10_000
/** Empty answers in a row, with nothing under way, after which the drain is stuck and not merely early. */
const STUCK_AFTER = 500

export async function drain(
  store,
  { worker, queues, jobs, batch, lanes, run = () => {}, onDone = () => {} },
) {
  const { lease } = await store.work.openLease(worker, LEASE_MS)
  const beat = setInterval(() => store.work.renew([lease]).catch(() => {}), BEAT_MS)
  const claimer = store.work.claimer()
  const state = { unclaimed: jobs, claiming: 0, running: 0, done: 0, claims: 0, emptyInARow: 0, waiting: [] }

  const finish = async (claimed) => {
    const endings = claimed.map((job) => {
      run(job)
      return {
        jobId: job.jobId,
        attempt: job.attempt,
        lease: job.lease,
        outcome: 'succeeded',
        startedAgoMs: 0,
      }
    })
    const ended = await store.work.finish(endings)
    const refused = ended.filter(({ accepted }) => !accepted).length
    if (refused > 0) throw new Error(`${refused} of ${ended.length} endings were refused`)
    state.running -= ended.length
    state.done += ended.length
    for (const wake of state.waiting.splice(0)) wake()
    onDone(state.done)
  }

  const lane = async () => {
    while (state.unclaimed > 0) {
      const limit = Math.min(batch, state.unclaimed)
      state.unclaimed -= limit
      state.claiming += 1
      const claimed = await claimer.claim({ worker, lease, queues, limit })
      state.claiming -= 1
      state.claims += 1
      state.unclaimed += limit - claimed.length
      if (claimed.length === 0) {
        await untilMore(state, jobs)
        continue
      }
      state.emptyInARow = 0
      state.running += claimed.length
      await finish(claimed)
    }
  }

  try {
    await Promise.all(Array.from({ length: lanes }, lane))
  } finally {
    clearInterval(beat)
    await store.work.closeLease(lease)
  }
  return { done: state.done, claims: state.claims }
}

/** Targets and limits make a claim come back empty until another lane has claimed and finished; then it is worth asking again. */
async function untilMore(state, jobs) {
  if (state.running > 0 || state.claiming > 0) return new Promise((resolve) => state.waiting.push(resolve))
  for (const wake of state.waiting.splice(0)) wake()
  state.emptyInARow += 1
  if (state.emptyInARow > STUCK_AFTER)
    throw new Error(`stuck: ${state.done} of ${jobs} done and nothing left to claim`)
  return new Promise((resolve) => setTimeout(resolve, 1))
}
