-- Hands out up to p_limit jobs of the given queues to a worker: highest priority first, oldest first among equals.
--
-- p_lease is the worker's open lease. Queues whose leases are renewed by reports or by nothing, and calls without a lease,
-- get a lease of their own for each job (p_lease_ms instead of the queue's, if given).
-- When there is not enough to hand out, what has fallen due is brought in first: delayed jobs, expired leases, arrivals at
-- targets. So a job is claimable when its time has come, whether or not any upkeep is running.
--
-- The candidates are a materialized CTE: `where id in (select ... limit n for update skip locked)` may be planned so that it
-- claims more than n. Only what the DELETE returns is handed out: a row that was boosted after our snapshot is locked in its
-- new version, which the DELETE cannot see, and taken for granted it would be ready and running at once; it is left for the
-- next claim. After taking rows the worker's lease is kept by a key share lock until commit: a sweep of that lease
-- waits for us, or has happened, and then we take nothing. Without it, a claim that commits after its lease was swept left
-- running rows that nobody would ever sweep. A claim that took nothing locks nothing and writes nothing.
--
-- Here as in every verb a table is joined by `x.id = any (array[t.id])`, not `x.id = t.id`, wherever the rows to look up come
-- from a list: then the only plan is one index lookup for each. A plan made while the table was empty (a worker's plans are
-- made at its first poll) would otherwise read the whole index, once for each job, and go on doing so with a million rows in it.
create or replace function holdfast.claim(p_worker text, p_lease bigint, p_queues int[], p_limit int default 1, p_lease_ms int default null)
returns table (job_id bigint, attempt int, lease bigint, expires_at timestamptz, queue_id int, kind text, input jsonb, key text, target text,
  subject text, created_at timestamptz, timeout_ms int, token_limit bigint, target_count bigint, trace text, priority smallint,
  failures smallint, losses smallint, interruptions int, progress jsonb)
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_sort = off
set jit = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_now timestamptz;
  v_worker int := holdfast.worker_id(p_worker);
  v_left int := p_limit;
  v_taken int;
begin
  for pass in 1..2 loop
    v_now := holdfast.now();
    return query
    with taken as materialized (
      select t.*, q.timeout_ms, s.shared, case when s.shared then p_lease else nextval('holdfast.lease_id_seq') end as lease,
        coalesce(p_lease_ms, q.lease_ms, (holdfast.setting_number('LEASE_SEC_DEFAULT') * 1000)::int) as lease_ms
      from unnest(p_queues) u (id)
      join holdfast.queue q on q.id = any (array[u.id]) and q.paused_at is null
      cross join lateral (select q.renewed_by = 'beat' and p_lease is not null as shared) s
      cross join lateral (
        select x.ctid as tid, x.* from holdfast.ready x where x.queue_id = q.id
        order by x.level, x.job_id limit v_left for update skip locked) t
      limit v_left),
    gone as (
      delete from holdfast.ready x using taken t where x.ctid = t.tid returning t.*),
    ran as (
      insert into holdfast.running (job_id, lane, ord, lease, claimed_at, queue_id, attempt, interruptions, worker_id, priority, failures,
        losses, keyed, own_lease)
      select t.job_id, t.lane, t.ord, t.lease, v_now, t.queue_id, t.attempt + 1, t.interruptions, v_worker, t.priority, t.failures,
        t.losses, t.keyed, not t.shared
      from gone t),
    leased as (
      insert into holdfast.lease (id, worker_id, lease_ms, opened_at, heartbeat_at, expires_at, job_id)
      select t.lease, v_worker, t.lease_ms, v_now, v_now, v_now + interval '1 ms' * t.lease_ms, t.job_id from gone t where not t.shared),
    told as (
      insert into holdfast.event (at, type, job_ids)
      select v_now, 'claimed', array_agg(t.job_id) from gone t having count(*) > 0)
    select t.job_id, t.attempt + 1, t.lease, case when not t.shared then v_now + interval '1 ms' * t.lease_ms end, t.queue_id, j.kind,
      j.input, j.key, j.target, j.subject, j.created_at, coalesce(j.timeout_ms, t.timeout_ms), j.token_limit, j.target_count, j.trace,
      t.priority, t.failures, t.losses, t.interruptions, case when t.attempt > 0 then holdfast.progress_of(t.job_id) end
    from gone t join holdfast.job j on j.id = any (array[t.job_id]);
    get diagnostics v_taken = row_count;

    if v_taken > 0 and p_lease is not null then
      perform holdfast.hold_lease(p_lease);
    end if;
    v_left := v_left - v_taken;
    exit when v_left = 0 or pass = 2 or not holdfast.bring_in_due(least(1000, greatest(100, v_left)));
  end loop;
end $$;
