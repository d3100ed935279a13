-- Jobs that were claimed in this transaction, as a claim hands them out, in the order of the list. p_marks says of each at which level it
-- waited and whether it had come straight there (level * 2 + fresh); nothing for a job at the usual level.
create or replace function holdfast.claimed_jobs(p_jobs bigint[], p_marks int[])
returns table (job_id bigint, attempt int, lease bigint, expires_at timestamptz, queue_id int, kind text, input jsonb, key text, target text,
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
  return query select r.job_id, r.attempt, r.lease, l.expires_at, r.queue_id, j.kind, j.input, j.key, j.target, j.subject, j.created_at,
      coalesce(j.timeout_ms, q.timeout_ms), j.token_limit, j.target_count, j.trace, r.priority, r.failures, r.losses, r.interruptions,
      case when r.attempt > 1 then holdfast.progress_of(r.job_id) end, coalesce(t.mark / 2, 100)::smallint, coalesce(t.mark % 2 = 1, true)
    from unnest(p_jobs, p_marks) t (job_id, mark)
    join holdfast.running r on r.job_id = any (array[t.job_id])
    join holdfast.job j on j.id = any (array[t.job_id])
    join holdfast.queue q on q.id = any (array[r.queue_id])
    left join holdfast.lease l on r.own_lease and l.id = any (array[r.lease]);
end $$;
