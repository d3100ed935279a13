-- The attempts log under the names of its preset: a row for each ended attempt that had a worker, also for
-- lost leases.
-- The id has room for a million attempts: a job that snoozes every ten seconds has ten thousand in a day and
-- a bit.
create or replace view holdfast.job_attempts as
select a.job_id * 1000000 + a.attempt as id, a.job_id, a.attempt, w.name as worker_id,
  coalesce(a.started_at, a.claimed_at) as started_at, a.finished_at,
  (a.outcome = 'succeeded')::int as success, a.log_excerpt, a.outcome, a.moved_to, a.reason, a.error_class,
  a.error_message, a.error_fingerprint, a.claimed_at, a.lease, a.result
from holdfast.attempt a left join holdfast.worker w on w.id = a.worker_id
where a.lease is not null;
