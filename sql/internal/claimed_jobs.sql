-- Jobs that were claimed in this transaction, as a claim hands them out, in the order of the list. p_marks says of each at which level it
-- waited, whether it had come straight there, and whether its queue has a timeout to look up (level * 4 + fresh * 2 + timed); nothing for
-- a job that is as nearly all are.
-- The list is sorted first: one scan of the index then finds all of them, and a binary search says what belongs to the row found.
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
declare
  v_jobs bigint[];
  v_marks int[];
  v_places bigint[];
begin
  select array_agg(t.job_id order by t.job_id), array_agg(t.mark order by t.job_id), array_agg(t.place order by t.job_id)
    into v_jobs, v_marks, v_places from unnest(p_jobs, p_marks) with ordinality t (job_id, mark, place);
  return query select r.job_id, r.attempt, r.lease, l.expires_at, r.queue_id, j.kind, j.input, j.key, j.target, j.subject, j.created_at,
      coalesce(j.timeout_ms, case when t.mark % 2 = 1 then (select q.timeout_ms from holdfast.queue q where q.id = r.queue_id) end),
      j.token_limit, j.target_count, j.trace, r.priority, r.failures, r.losses, r.interruptions,
      case when r.attempt > 1 then holdfast.progress_of(r.job_id) end, coalesce(t.mark / 4, 100)::smallint, coalesce(t.mark / 2 % 2 = 1, true)
    from holdfast.running r
    cross join lateral (select v_marks[width_bucket(r.job_id, v_jobs)] as mark) t
    join holdfast.job j on j.id = any (array[r.job_id])
    left join holdfast.lease l on r.own_lease and l.id = any (array[r.lease])
    where r.job_id = any (v_jobs)
    order by v_places[width_bucket(r.job_id, v_jobs)];
end $$;
