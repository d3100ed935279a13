-- Fields of holdfast.jobs under the names that presets use for them: one row for each job, joined by id and
-- queue_id. Only the endpoints of the presets read it; everything else uses holdfast.jobs.
create or replace view holdfast.jobs_aliases as
select v.id, v.queue_id, v.preset, v.kind as work_kind, v.subject as subreddit_id, v.target as target_id,
  v.attempt as attempts, v.max_retries + 1 as max_attempts,
  least(v.failures, v.max_retries) as retries, least(v.failures, v.max_retries) as retry_count,
  v.lease_owner as locked_by, case when v.lease is not null then v.claimed_at end as locked_at,
  v.visible_at as executed_at, v.item_goal as target_count, case
    when v.state = 'retrying' then v.visible_at end as next_retry_at,
  coalesce(v.claimed_at, (select max(a.claimed_at) from holdfast.attempt a
    where a.job_id = v.id)) as last_attempt,
  v.created_by as enqueued_by, case when v.finished_at is not null then v.reason end as done_reason
from holdfast.jobs v;
