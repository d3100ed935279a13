-- The jobs that this transaction has claimed, with all columns of a claim, in the order of the list. p_marks
-- holds for each the level it waited at, whether it was new there, and whether its queue has a timeout to
-- look up (level * 4 + fresh * 2 + timed); null for an ordinary new job. The list is sorted first: one scan
-- of the index then finds all of them, and a binary search finds what belongs to each row.
create or replace function holdfast.claimed_jobs(p_jobs bigint[], p_marks int[])
returns table (job_id bigint, attempt int, lease bigint, expires_at timestamptz, queue_id int, kind text,
  input jsonb, key text, target text, subject text, created_at timestamptz, timeout_ms int,
  token_limit bigint, item_goal bigint, trace text, priority smallint, failures smallint, losses smallint,
  interruptions int, progress jsonb, level smallint, fresh boolean)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_jobs bigint[];
  v_marks int[];
  v_places bigint[];
begin
  select array_agg(t.job_id order by t.job_id), array_agg(t.mark order by t.job_id),
    array_agg(t.place order by t.job_id)
    into v_jobs, v_marks, v_places from unnest(p_jobs, p_marks) with ordinality t (job_id, mark, place);
  return query select r.job_id, r.attempt, r.lease, l.expires_at, r.queue_id, j.kind, j.input, j.key,
    j.target, j.subject, j.created_at,
      coalesce(j.timeout_ms, case when t.mark % 2 = 1 then (select q.timeout_ms from holdfast.queue q
        where q.id = r.queue_id) end), j.token_limit, j.item_goal, j.trace, r.priority, r.failures, r.losses,
        r.interruptions,
      case when r.attempt > 1 then holdfast.progress_of(r.job_id) end, coalesce(t.mark / 4, 100)::smallint,
        coalesce(t.mark / 2 % 2 = 1, true)
    from holdfast.running r
    cross join lateral (select v_marks[width_bucket(r.job_id, v_jobs)] as mark) t
    join holdfast.job j on j.id = any (array[r.job_id])
    left join holdfast.lease l on r.own_lease and l.id = any (array[r.lease])
    where r.job_id = any (v_jobs)
    order by v_places[width_bucket(r.job_id, v_jobs)];
end $$;

-- What earlier attempts of a job reported, for the attempt that resumes from it.
create or replace function holdfast.progress_of(p_job bigint) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_build_object('cursor', p.cursor, 'progress', p.progress, 'progress_count', p.progress_count,
    'result_count', p.result_count,
    'tokens_used', p.tokens_used, 'last_progress_at', p.last_progress_at)
  from holdfast.progress p where p.job_id = p_job
$$;
