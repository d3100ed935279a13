-- Ends attempts that succeeded without a result: `finish` for the most usual end, on the shortest path.
-- Returns only those that were not accepted, usually none: a row of an answer costs as much as a lookup.
create or replace function holdfast.finish_succeeded(p_jobs bigint[], p_attempts int[], p_leases bigint[],
  p_started_ago_ms int[] default null)
returns table (job_id bigint, attempt int)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '2s'
as $$
begin
  if holdfast.is_rising(p_jobs)
    and cardinality((select s.jobs from holdfast.succeed(p_jobs, p_attempts, p_leases,
      p_started_ago_ms) s)) = cardinality(p_jobs) then
    return;
  end if;
  -- For the attempts that succeed() has just ended this is the same call again.
  return query select e.job_id, e.attempt
    from holdfast.end_attempts(p_jobs, p_attempts, p_leases, array_fill('succeeded'::holdfast.outcome,
      array[cardinality(p_jobs)]), p_started_ago_ms, null) e
    where not e.accepted;
end $$;

-- Ends attempts that succeeded without details. Returns those whose fence held; everything else is as in
-- end_attempts. What only some jobs have (a key, a target, a lease of their own) is cleaned up only if one of
-- the batch has it. p_jobs must be rising: one scan of the index then finds all of them (0.4 us a job, where
-- looking them up one by one takes 2), and a binary search in the list finds the fence of each row.
create or replace function holdfast.succeed(
  p_jobs bigint[], p_attempts int[], p_leases bigint[], p_started_ago_ms int[], out jobs bigint[],
    out attempts int[])
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_now timestamptz := holdfast.now();
  v_lanes bigint[];
  v_heads bigint[];
  v_keyed bigint[];
  v_own bigint[];
begin
  with deleted as (
    delete from holdfast.running r
    where r.job_id = any (p_jobs) and r.attempt = p_attempts[width_bucket(r.job_id, p_jobs)]
      and r.lease = p_leases[width_bucket(r.job_id, p_jobs)]
    returning r.*, p_started_ago_ms[width_bucket(r.job_id, p_jobs)] as started_ago_ms),
  attempt_row as (
    insert into holdfast.attempt (job_id, lease, claimed_at, started_at, finished_at, attempt, queue_id,
      worker_id, outcome, moved_to, priority, failures, final)
    select g.job_id, g.lease, g.claimed_at, coalesce(v_now - interval '1 ms' * g.started_ago_ms,
      g.started_at), v_now, g.attempt, g.queue_id, g.worker_id, 'succeeded', 'succeeded', g.priority,
      g.failures, true
    from deleted g),
  event_row as (
    insert into holdfast.event (at, tenant, queue_id, type, job_ids)
    select v_now, q.tenant, b.queue_id, 'attempt_ended', b.job_ids
    from (select g.queue_id, array_agg(g.job_id) as job_ids from deleted g group by g.queue_id) b
    join holdfast.queue q on q.id = any (array[b.queue_id]))
  select array_agg(g.job_id), array_agg(g.attempt), array_agg(g.lane) filter (where g.lane is not null),
      array_agg(g.job_id) filter (where g.lane is not null), array_agg(g.job_id) filter (where g.keyed),
      array_agg(g.lease) filter (where g.own_lease)
    into jobs, attempts, v_lanes, v_heads, v_keyed, v_own
    from deleted g;

  if v_keyed is not null then
    delete from holdfast.dedup d using unnest(v_keyed) k (job_id)
      join holdfast.job j on j.id = any (array[k.job_id])
      where d.queue_id = any (array[j.queue_id]) and d.key = j.key and d.job_id = j.id;
  end if;
  if v_own is not null then
    delete from holdfast.lease l where l.id = any (v_own);
  end if;
  if v_lanes is not null then
    perform holdfast.settle_lanes(v_lanes, v_heads);
  end if;
end $$;
