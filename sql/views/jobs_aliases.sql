-- The fields of holdfast.jobs under the names that the documents of presets have for them, beside it and not in it: one row a job, joined by id
-- and queue_id. The programs of those documents read it; everything else speaks of a job as holdfast.jobs does.
create or replace view holdfast.jobs_aliases as
select v.id, v.queue_id, v.preset, v.kind as work_kind, v.subject as subreddit_id, v.target as target_id,
  v.attempt as attempts, v.max_retries + 1 as max_attempts, v.failures as retries, v.failures as retry_count,
  v.lease_owner as locked_by, case when v.lease is not null then v.claimed_at end as locked_at,
  v.visible_at as executed_at, case when v.state = 'retrying' then v.visible_at end as next_retry_at,
  coalesce(v.claimed_at, (select max(a.claimed_at) from holdfast.attempt a where a.job_id = v.id)) as last_attempt,
  v.created_by as enqueued_by, case when v.finished_at is not null then v.reason end as done_reason
from holdfast.jobs v;
