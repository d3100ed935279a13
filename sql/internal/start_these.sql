-- Starts these very jobs of a queue, which the caller found and locked in `ready`, for a worker. What claim_from does for many.
create or replace function holdfast.start_these(
  p_worker_id int, p_lease bigint, p_lease_ms int, p_queue int, p_levels smallint[], p_jobs bigint[], p_limited boolean, p_now timestamptz,
  out jobs bigint[], out marks int[]
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
declare
  v_queue holdfast.queue;
  v_shared boolean;
  v_lease_ms int;
begin
  select * into v_queue from holdfast.queue q where q.id = p_queue;
  v_shared := v_queue.renewed_by = 'beat' and p_lease is not null;
  v_lease_ms := coalesce(p_lease_ms, v_queue.lease_ms, (holdfast.setting_number('LEASE_SEC_DEFAULT') * 1000)::int);
  with gone as (
    delete from holdfast.ready x using unnest(array_fill(p_queue, array[coalesce(cardinality(p_jobs), 0)]), p_levels, p_jobs) i (queue_id, level, job_id)
    where x.queue_id = any (array[i.queue_id]) and x.level = any (array[i.level]) and x.job_id = any (array[i.job_id]) returning x.*),
  taken as materialized (
    select g.*, case when v_shared then p_lease else holdfast.new_lease_id() end as lease from gone g),
  ran as (
    insert into holdfast.running (job_id, lane, ord, lease, claimed_at, queue_id, attempt, interruptions, worker_id, priority, failures,
      losses, keyed, own_lease, limited)
    select t.job_id, t.lane, t.ord, t.lease, p_now, t.queue_id, t.attempt + 1, t.interruptions, p_worker_id, t.priority, t.failures,
      t.losses, t.keyed, not v_shared, p_limited
    from taken t),
  leased as (
    insert into holdfast.lease (id, worker_id, lease_ms, opened_at, heartbeat_at, expires_at, job_id, queue_id)
    select t.lease, p_worker_id, v_lease_ms, p_now, p_now, p_now + interval '1 ms' * v_lease_ms, t.job_id, t.queue_id
    from taken t where not v_shared),
  told as (
    insert into holdfast.event (at, tenant, type, job_ids)
    select p_now, v_queue.tenant, 'claimed', array_agg(t.job_id) from taken t having count(*) > 0)
  select array_agg(t.job_id), array_agg(t.level * 4 + (t.since is null)::int * 2 + (v_queue.timeout_ms is not null)::int)
    into jobs, marks from taken t;
end $$;
