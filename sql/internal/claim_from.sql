-- One round of a claim: up to p_limit jobs of the given queues, at most p_per_queue of each, in the order listed.
--
-- The candidates are a materialized CTE: `where id in (select ... limit n for update skip locked)` may be planned so that it
-- claims more than n. Only what the DELETE returns is handed out: a row that was boosted after our snapshot is locked in its
-- new version, which the DELETE cannot see, and taken for granted it would be ready and running at once; it is left for the
-- next claim. Each queue is read in up to three ranges: without a hint everything in order; with one, first the levels
-- above the hinted one, then what came back at that level behind the hint (by its own small index), then the rest after it.
--
-- Says only which jobs it took, in their order, and a mark for each that is not as nearly all are (see claimed_jobs): the jobs
-- themselves are read once, by the whole list, when all of a claim is taken.
create or replace function holdfast.claim_from(
  p_worker_id int, p_lease bigint, p_lease_ms int, p_queues int[], p_hint_levels smallint[], p_hint_jobs bigint[], p_limit int, p_per_queue int,
  p_limited boolean, p_now timestamptz, out jobs bigint[], out marks int[]
)
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
  with taken as materialized (
    select t.tid, q.tenant, s.shared and q.timeout_ms is null as usual, q.timeout_ms is not null as timed,
      case when not s.shared then coalesce(p_lease_ms, q.lease_ms, (holdfast.setting_number('LEASE_SEC_DEFAULT') * 1000)::int) end as own_ms
    from unnest(p_queues, p_hint_levels, p_hint_jobs) u (id, level, job_id)
    join holdfast.queue q on q.id = any (array[u.id]) and q.paused_at is null and q.limited = p_limited
    cross join lateral (select q.renewed_by = 'beat' and p_lease is not null as shared) s
    cross join lateral (
      select l.* from (
        select a.* from (
          select x.ctid as tid from holdfast.ready x where u.job_id is null and x.queue_id = q.id
          order by x.level, x.job_id limit p_per_queue for update skip locked) a
        union all
        select b.* from (
          select x.ctid as tid from holdfast.ready x where u.job_id is not null and x.queue_id = q.id and x.level < u.level
          order by x.level, x.job_id limit p_per_queue for update skip locked) b
        union all
        select c.* from (
          select x.ctid as tid from holdfast.ready x
          where u.job_id is not null and x.queue_id = q.id and x.level = u.level and x.job_id <= u.job_id and x.since is not null
          order by x.job_id limit p_per_queue for update skip locked) c
        union all
        select d.* from (
          select x.ctid as tid from holdfast.ready x
          where u.job_id is not null and x.queue_id = q.id and (x.level, x.job_id) > (u.level, u.job_id)
          order by x.level, x.job_id limit p_per_queue for update skip locked) d) l
      limit p_per_queue) t
    limit p_limit),
  gone as (
    delete from holdfast.ready x using taken t where x.ctid = t.tid
    returning x.job_id, x.lane, x.ord, x.queue_id, x.attempt, x.interruptions, x.priority, x.failures, x.losses, x.keyed, t.tenant, t.own_ms,
      case when t.own_ms is not null then holdfast.new_lease_id() end as own_lease,
      case when not t.usual or x.attempt > 0 or x.priority <> 0 or x.level <> 100 or x.since is not null
        then x.level * 4 + (x.since is null)::int * 2 + t.timed::int end as mark),
  ran as (
    insert into holdfast.running (job_id, lane, ord, lease, claimed_at, queue_id, attempt, interruptions, worker_id, priority, failures,
      losses, keyed, own_lease, limited)
    select t.job_id, t.lane, t.ord, coalesce(t.own_lease, p_lease), p_now, t.queue_id, t.attempt + 1, t.interruptions, p_worker_id, t.priority,
      t.failures, t.losses, t.keyed, t.own_ms is not null, p_limited
    from gone t),
  leased as (
    insert into holdfast.lease (id, worker_id, lease_ms, opened_at, heartbeat_at, expires_at, job_id, queue_id)
    select t.own_lease, p_worker_id, t.own_ms, p_now, p_now, p_now + interval '1 ms' * t.own_ms, t.job_id, t.queue_id
    from gone t where t.own_ms is not null),
  told as (
    insert into holdfast.event (at, tenant, type, job_ids)
    select p_now, t.tenant, 'claimed', array_agg(t.job_id) from gone t group by t.tenant)
  select array_agg(t.job_id), array_agg(t.mark) into jobs, marks from gone t;
end $$;
