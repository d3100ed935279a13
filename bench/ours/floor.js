// The floor: the very rows a drain writes, by bare SQL in the same batches, and nothing else. No fence is checked, no policy
// is read, no job is handed to anybody. What stands between this and our drain is the price of being a job queue.
import pg from 'pg'

export const CLAIM = `
  with t as materialized (
    select ctid as tid, * from holdfast.ready where queue_id = $1 order by level, job_id limit $2 for update skip locked),
  gone as (delete from holdfast.ready r using t where r.ctid = t.tid),
  ran as (
    insert into holdfast.running (job_id, lane, ord, lease, claimed_at, queue_id, attempt, interruptions, worker_id, priority, failures,
      losses, keyed, own_lease)
    select job_id, lane, ord, $3, now(), queue_id, attempt + 1, interruptions, $4, priority, failures, losses, keyed, false from t),
  told as (insert into holdfast.event (at, type, job_ids) select now(), 'claimed', array_agg(job_id) from t having count(*) > 0)
  select job_id from t`

export const FINISH = `
  with gone as (delete from holdfast.running where job_id = any ($1::bigint[]) returning *),
  logged as (
    insert into holdfast.attempt (job_id, lease, claimed_at, started_at, finished_at, attempt, queue_id, worker_id, outcome, moved_to,
      priority, failures, final)
    select job_id, lease, claimed_at, now(), now(), attempt, queue_id, worker_id, 'succeeded', 'succeeded', priority, failures, true
    from gone),
  told as (insert into holdfast.event (at, type, job_ids) select now(), 'attempt_ended', array_agg(job_id) from gone having count(*) > 0)
  select count(*)::int as n from gone`

/** The same plans as the verbs are pinned to: a floor that sorts the backlog would be no floor. */
const PINS = ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin', 'sort']
export const OPTIONS = `${PINS.map((node) => `-c enable_${node}=off`).join(' ')} -c jit=off`

export async function floorDrain({ url, lease, worker, queueId, jobs, batch, lanes, onDone }) {
  const pool = new pg.Pool({ connectionString: url, max: lanes, options: OPTIONS })
  let unclaimed = jobs
  let done = 0
  const lane = async () => {
    while (unclaimed > 0) {
      const limit = Math.min(batch, unclaimed)
      unclaimed -= limit
      const { rows } = await pool.query({
        name: 'claim',
        text: CLAIM,
        values: [queueId, limit, lease, worker],
      })
      if (rows.length < limit) throw new Error(`the floor ran dry: ${rows.length} of ${limit} rows`)
      const ids = rows.map((row) => row.job_id)
      const finished = await pool.query({ name: 'finish', text: FINISH, values: [ids] })
      done += finished.rows[0].n
      onDone(done)
    }
  }
  try {
    await Promise.all(Array.from({ length: lanes }, lane))
  } finally {
    await pool.end()
  }
  return { done }
}
