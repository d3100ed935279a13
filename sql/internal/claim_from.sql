-- One round of a claim: up to p_limit jobs of the given queues, at most p_per_queue of each, in the order listed.
--
-- The candidates are a materialized CTE: `where id in (select ... limit n for update skip locked)` may be planned so that it
-- claims more than n. Only what the DELETE returns is handed out: a row that was boosted after our snapshot is locked in its
-- new version, which the DELETE cannot see, and taken for granted it would be ready and running at once; it is left for the
-- next claim. Each queue is read in up to three ranges: without a hint everything in order; with one, first the levels
-- above the hinted one, then what came back at that level behind the hint (by its own small index), then the rest after it.
create or replace function holdfast.claim_from(
  p_worker_id int, p_lease bigint, p_lease_ms int, p_queues int[], p_hint_levels smallint[], p_hint_jobs bigint[], p_limit int, p_per_queue int,
  p_limited boolean, p_now timestamptz
) returns table (job_id bigint, attempt int, lease bigint, expires_at timestamptz, queue_id int, kind text, input jsonb, key text, target text,
  subject text, created_at timestamptz, timeout_ms int, token_limit bigint, target_count bigint, trace text, priority smallint,
  failures smallint, losses smallint, interruptions int, progress jsonb, level smallint, fresh boolean)
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query
  with taken as materialized (
    select t.*, q.tenant, q.timeout_ms, s.shared, case when s.shared then p_lease else nextval('holdfast.lease_id_seq') end as lease,
      coalesce(p_lease_ms, q.lease_ms, (holdfast.setting_number('LEASE_SEC_DEFAULT') * 1000)::int) as lease_ms
    from unnest(p_queues, p_hint_levels, p_hint_jobs) u (id, level, job_id)
    join holdfast.queue q on q.id = any (array[u.id]) and q.paused_at is null and q.limited = p_limited
    cross join lateral (select q.renewed_by = 'beat' and p_lease is not null as shared) s
    cross join lateral (
      select l.* from (
        select a.* from (
          select x.ctid as tid, x.* from holdfast.ready x where u.job_id is null and x.queue_id = q.id
          order by x.level, x.job_id limit p_per_queue for update skip locked) a
        union all
        select b.* from (
          select x.ctid as tid, x.* from holdfast.ready x where u.job_id is not null and x.queue_id = q.id and x.level < u.level
          order by x.level, x.job_id limit p_per_queue for update skip locked) b
        union all
        select c.* from (
          select x.ctid as tid, x.* from holdfast.ready x
          where u.job_id is not null and x.queue_id = q.id and x.level = u.level and x.job_id <= u.job_id and x.since is not null
          order by x.job_id limit p_per_queue for update skip locked) c
        union all
        select d.* from (
          select x.ctid as tid, x.* from holdfast.ready x
          where u.job_id is not null and x.queue_id = q.id and (x.level, x.job_id) > (u.level, u.job_id)
          order by x.level, x.job_id limit p_per_queue for update skip locked) d) l
      limit p_per_queue) t
    limit p_limit),
  gone as (
    delete from holdfast.ready x using taken t where x.ctid = t.tid returning t.*),
  ran as (
    insert into holdfast.running (job_id, lane, ord, lease, claimed_at, queue_id, attempt, interruptions, worker_id, priority, failures,
      losses, keyed, own_lease, limited)
    select t.job_id, t.lane, t.ord, t.lease, p_now, t.queue_id, t.attempt + 1, t.interruptions, p_worker_id, t.priority, t.failures,
      t.losses, t.keyed, not t.shared, p_limited
    from gone t),
  leased as (
    insert into holdfast.lease (id, worker_id, lease_ms, opened_at, heartbeat_at, expires_at, job_id, queue_id)
    select t.lease, p_worker_id, t.lease_ms, p_now, p_now, p_now + interval '1 ms' * t.lease_ms, t.job_id, t.queue_id from gone t where not t.shared),
  told as (
    insert into holdfast.event (at, tenant, type, job_ids)
    select p_now, t.tenant, 'claimed', array_agg(t.job_id) from gone t group by t.tenant)
  select t.job_id, t.attempt + 1, t.lease, case when not t.shared then p_now + interval '1 ms' * t.lease_ms end, t.queue_id, j.kind,
    j.input, j.key, j.target, j.subject, j.created_at, coalesce(j.timeout_ms, t.timeout_ms), j.token_limit, j.target_count, j.trace,
    t.priority, t.failures, t.losses, t.interruptions, case when t.attempt > 0 then holdfast.progress_of(t.job_id) end, t.level, t.since is null
  from gone t join holdfast.job j on j.id = any (array[t.job_id]);
end $$;
