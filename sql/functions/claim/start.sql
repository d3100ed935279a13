-- Records that jobs have started: assigned becomes running. Workers send it with a heartbeat, for jobs still
-- running by then; an UPDATE for every job would cost more than a third of a finish, and finish carries the
-- true start anyway. Returns those recorded as started, by this call or an earlier one. A row that another
-- transaction has locked (an open cancel, a handler that completes its job in its own transaction) is skipped
-- and not returned: send it again with the next heartbeat.
--
-- Where the queue records starts (record_starts), workers call it before they begin a job, and it writes the
-- event `started`.
create or replace function holdfast.start(p_jobs bigint[], p_attempts int[], p_leases bigint[],
  p_ago_ms int[] default null)
returns table (job_id bigint, attempt int)
language sql security definer
set search_path = pg_catalog, pg_temp
as $$
  with free as materialized (
    select r.ctid as tid, r.job_id, r.attempt, r.started_at, i.ago_ms
    from unnest(p_jobs, p_attempts, p_leases, p_ago_ms) i (job_id, attempt, lease, ago_ms)
    join holdfast.running r
      on r.job_id = any (array[i.job_id]) and r.attempt = i.attempt and r.lease = i.lease
    for no key update of r skip locked),
  started as (
    update holdfast.running r set started_at = holdfast.now() - interval '1 ms' * coalesce(f.ago_ms, 0)
    from free f where r.ctid = f.tid and f.started_at is null returning r.job_id, r.attempt, r.queue_id),
  event_row as (
    insert into holdfast.event (at, tenant, type, job_ids)
    select holdfast.now(), q.tenant, 'started', array_agg(b.job_id) from started b
      join holdfast.queue q on q.id = any (array[b.queue_id]) and q.record_starts
    group by q.tenant)
  select b.job_id, b.attempt from started b
  union all
  select f.job_id, f.attempt from free f where f.started_at is not null
$$;
