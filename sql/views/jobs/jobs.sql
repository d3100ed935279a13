-- Every job with its state and place, one row each, with the columns that src/domain/job-fields.ts lists. For
-- lookups by id and for people at a prompt; the state is a constant in each branch, so `where state =
-- 'queued'` reads only the table that holds queued jobs. `ready` is indexed by queue first: a query that
-- gives queue_id as well as id needs one lookup whatever the statistics of `ready` are.
create or replace view holdfast.jobs as
with place as not materialized (
  select j.id, r.queue_id, 'queued'::holdfast.state as state, r.lane, r.attempt, r.interruptions, r.priority,
    r.failures, r.losses, null::bigint as lease, null::int as worker_id, null::timestamptz as claimed_at,
    null::timestamptz as started_at, false as cancel_requested, null::timestamptz as due_at, r.since,
    null::text as reason, null::timestamptz as finished_at, null::jsonb as result
  from holdfast.job j join holdfast.ready r on r.queue_id = j.queue_id
    and r.level = any (holdfast.all_levels()) and r.job_id = j.id
  union all
  select d.job_id, d.queue_id, 'scheduled', d.lane, d.attempt, d.interruptions, d.priority, d.failures,
    d.losses, null, null, null, null, false, d.due_at, null, null, null, null
  from holdfast.delayed d where d.state = 'scheduled'
  union all
  select d.job_id, d.queue_id, 'retrying', d.lane, d.attempt, d.interruptions, d.priority, d.failures,
    d.losses, null, null, null, null, false, d.due_at, null, null, null, null
  from holdfast.delayed d where d.state = 'retrying'
  union all
  select h.job_id, h.queue_id, h.state::text::holdfast.state, h.lane, h.attempt, h.interruptions, h.priority,
    h.failures, h.losses, null, null, null, null, false, null, h.since, h.reason, null, null
  from holdfast.held h
  union all
  select r.job_id, r.queue_id, 'assigned', r.lane, r.attempt, r.interruptions, r.priority, r.failures,
    r.losses, r.lease, r.worker_id, r.claimed_at, r.started_at, r.cancel_requested, null, null,
    null, null, null
  from holdfast.running r where r.started_at is null
  union all
  select r.job_id, r.queue_id, 'running', r.lane, r.attempt, r.interruptions, r.priority, r.failures,
    r.losses, r.lease, r.worker_id, r.claimed_at, r.started_at, r.cancel_requested, null, null,
    null, null, null
  from holdfast.running r where r.started_at is not null
  union all
  select a.job_id, a.queue_id, a.moved_to, null, a.attempt, null, a.priority, a.failures, null, null,
    a.worker_id, a.claimed_at, a.started_at, false, null, null, a.reason, a.finished_at, a.result
  from holdfast.attempt a where a.final)
select
  j.id, q.tenant, q.name as queue, q.preset, j.kind, p.state, j.input, j.key, j.subject,
  j.target, p.priority, j.initial_priority,
  p.attempt, m.max_retries, p.failures, p.losses, p.interruptions,
  p.lease, o.owner as lease_owner,
  l.expires_at as lease_expires_at, l.heartbeat_at, p.cancel_requested, p.claimed_at, p.started_at,
  -- A job that is no longer delayed was claimable before its run_at if an operator let it run at once.
  coalesce(p.due_at, least(coalesce(j.run_at, j.created_at), case when p.state <> 'pending' then p.since end,
    p.claimed_at, p.finished_at)) as visible_at,
  (extract(epoch from p.finished_at - coalesce(p.started_at, p.claimed_at)) * 1000)::bigint as duration_ms,
  coalesce(j.created_by, 'system') as created_by, j.created_at,
  greatest(j.created_at, p.since, p.claimed_at, p.started_at, p.finished_at, g.last_progress_at,
    (select max(a.finished_at) from holdfast.attempt a where a.job_id = j.id),
    (select max(e.at) from holdfast.event e where e.job_id = j.id)) as updated_at,
  p.finished_at, p.reason,
  (select a.error_message from holdfast.attempt a where a.job_id = j.id and a.error_message is not null
    order by a.attempt desc limit 1) as last_error,
  g.cursor as last_cursor, coalesce(g.progress_count, 0) as progress_count,
    coalesce(g.result_count, 0) as result_count, j.item_goal,
  g.last_progress_at, g.progress, coalesce(g.tokens_used, 0) as tokens_used, j.token_limit, p.result,
    j.labels, j.trace, j.parent_id, j.retry_of, p.queue_id,
  holdfast.state_word(q.preset, p.state, p.attempt > 0) as status,
  case when p.state in ('pending', 'waiting', 'paused', 'errored', 'parked') then p.since end as held_since
from place p
join holdfast.job j on j.id = p.id
join holdfast.queue q on q.id = j.queue_id
cross join lateral (select coalesce(j.max_retries, q.max_retries,
  holdfast.setting_number('MAX_ATTEMPTS_DEFAULT')::int - 1) as max_retries) m
left join holdfast.lease l on l.id = p.lease
left join holdfast.worker w on w.id = p.worker_id
cross join lateral (select case when p.lease is not null then w.name end as owner) o
left join holdfast.progress g on g.job_id = j.id;
