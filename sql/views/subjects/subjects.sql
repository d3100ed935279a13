-- The registry of subjects; stale_at is when a subject will have gone without success for too long.
create or replace view holdfast.subjects as
select s.id, q.tenant, q.name as queue, s.name, s.kind, s.input, s.priority, s.last_success_at, s.last_job_id,
  s.stale_after_ms, s.enabled, s.added_at, s.added_by, s.enqueued_at,
  coalesce(s.last_success_at, s.added_at) + coalesce(interval '1 ms' * s.stale_after_ms,
  interval '1 day' * holdfast.setting_number('STALE_DAYS')::int) as stale_at
from holdfast.subject s join holdfast.queue q on q.id = s.queue_id;
