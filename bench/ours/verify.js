// After each sample: every job that was enqueued is where it has to be, and each finished one has exactly one attempt row,
// or, where `attempt` says so, that many.
export async function verify(store, { jobs, finished, attempt = 1, outcome = 'succeeded', places = {} }) {
  const [found] = await store.database.query(
    `select (select count(*)::int from holdfast.job) as jobs,
       (select count(*)::int from holdfast.attempt) as attempts,
       (select count(*)::int from holdfast.attempt where final and outcome = $1 and attempt = $2) as finished,
       (select count(*)::int from holdfast.ready) as ready, (select count(*)::int from holdfast.running) as running,
       (select count(*)::int from holdfast.delayed) as delayed, (select count(*)::int from holdfast.held) as held`,
    [outcome, attempt],
    { deadlineMs: 600_000 },
  )
  const wanted = {
    jobs,
    finished,
    attempts: finished * attempt + (places.failedAttempts ?? 0),
    ready: places.ready ?? 0,
    running: 0,
    delayed: places.delayed ?? 0,
    held: places.held ?? 0,
  }
  const wrong = Object.keys(wanted).filter((name) => found[name] !== wanted[name])
  if (wrong.length > 0) {
    const list = wrong.map((name) => `${name} ${found[name]} instead of ${wanted[name]}`)
    throw new Error(`the rows are wrong after the sample: ${list.join(', ')}`)
  }
  return found
}
