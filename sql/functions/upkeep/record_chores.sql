-- Stores how the upkeep chores of a node went since its last call. p_runs is an array of objects: name,
-- every_ms, ago_ms (since the last pass ended), duration_ms and rows of that pass; runs, rows_total, failures
-- since the last call; last_change_ago_ms; and error if the last pass failed.
create or replace function holdfast.record_chores(p_node text, p_runs jsonb) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform holdfast.check_sight(p_all => true);
  insert into holdfast.chore_run as c (name, node, every_ms, last_run_at, duration_ms, rows, runs, rows_total,
    last_change_at, failures, error, failed_at)
    select r.name, left(p_node, 300), r.every_ms, t - interval '1 ms' * r.ago_ms, r.duration_ms, r.rows,
      r.runs, r.rows_total,
      t - interval '1 ms' * r.last_change_ago_ms, r.failures, left(r.error, 2000),
      case when r.error is not null then t - interval '1 ms' * r.ago_ms end
    from holdfast.now() t, jsonb_to_recordset(p_runs) r (name text, every_ms bigint, ago_ms bigint,
      duration_ms int, rows bigint, runs bigint, rows_total bigint, last_change_ago_ms bigint,
      failures bigint, error text)
    -- sorted, so that two nodes that call at once do not deadlock
    order by r.name
    on conflict (name) do update set node = excluded.node, every_ms = excluded.every_ms,
      last_run_at = excluded.last_run_at,
      duration_ms = excluded.duration_ms, rows = excluded.rows, runs = c.runs + excluded.runs,
        rows_total = c.rows_total + excluded.rows_total,
      last_change_at = coalesce(excluded.last_change_at, c.last_change_at),
      failures = c.failures + excluded.failures, error = excluded.error,
      failed_at = coalesce(excluded.failed_at, c.failed_at);
end $$;

-- For explain: whether upkeep is overdue for a job: p_chore should have processed it at p_since. Claims
-- promote what is due by themselves, so a job notices only if no worker claims there either, or too many
-- wait. The state of a chore is recorded by the nodes that run it, and lost when the server crashes; aging
-- has a record of its own, which is not.
create or replace function holdfast.upkeep_asleep(p_chore text, p_since timestamptz, p_now timestamptz)
  returns table (code text, sentence text, data jsonb)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select 'upkeep_asleep',
    format('Upkeep has not processed it since %s; the chore %s ', p_since, p_chore) || case
      when u.failed then format('last ran at %s, and failed: `holdfast upkeep` shows why.', u.at)
      when u.at > p_since then format('runs, last at %s, and has not reached this job yet.', u.at)
      else format('last ran %s. Every running worker and server does it: is one running?',
        coalesce('at ' || u.at, 'at an unknown time')) end,
    jsonb_build_object('since', p_since, 'chore', p_chore, 'last_run_at', u.at, 'failed', u.failed)
  from (select max(c.at) as at, coalesce(bool_or(c.failed), false) as failed from (
      select r.last_run_at, r.error is not null from holdfast.chore_run r where r.name = p_chore
      union all
      select m.last_run_at, false from holdfast.chore m where m.name = p_chore) c (at, failed)) u
  where p_since < p_now - interval '1 minute'
$$;

-- For explain: since when a ready job of a queue by priority should have been raised for its waiting time: it
-- has waited long enough, and the last three passes missed it. In the future if all is well; null if there is
-- nothing to raise.
create or replace function holdfast.unraised_since(p_job holdfast.job) returns timestamptz
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select greatest(
    coalesce(r.since, p_job.created_at)
      + interval '1 s' * holdfast.setting_number('AGE_AFTER_SEC')::double precision,
    (select c.last_run_at from holdfast.chore c where c.name = 'age'))
      + interval '3 s' * holdfast.setting_number('AGE_EVERY_SEC')::double precision
  from holdfast.ready r
  where r.queue_id = p_job.queue_id and r.level = any (holdfast.all_levels()) and r.job_id = p_job.id
    and r.priority < holdfast.setting_number('AGE_CAP') and holdfast.setting_number('AGE_STEP') > 0
$$;
