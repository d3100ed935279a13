-- Of the jobs of a claim, those that do not begin with it, for a claimer that says `start` before it begins one of them. The first p_begins
-- of the list begin at once. What comes back unbegun, whatever brings it back, is neither charged nor paused nor blamed.
--
-- Beyond those: every job of a queue where an interruption has consequences at once (a pause, an error), and every job that has lost two
-- leases in a row, because one of them may be what kills its workers. Of the rest only if the claimer is not p_eager: one that goes
-- through a job in a few milliseconds would pay an update and a round trip for each, for jobs that begin in a moment anyway.
create or replace function holdfast.mark_unbegun(p_jobs bigint[], p_marks int[], p_queues int[], p_begins int, p_eager boolean,
  out marks int[], out unbegun bigint[])
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  marks := p_marks;
  if array_remove(p_marks, null) = '{}' and (cardinality(p_jobs) <= p_begins or p_eager and not exists (
    select from holdfast.queue q where q.id = any (p_queues) and (q.on_lease_lost = 'error' or q.on_shutdown = 'pause'))) then
    return;
  end if;
  with waits as (
    update holdfast.running r set unbegun = true
    from unnest(p_jobs) with ordinality j (id, n), holdfast.queue q
    where r.job_id = any (array[j.id]) and q.id = any (array[r.queue_id])
      and (r.losses >= 2 or j.n > p_begins and (not p_eager or q.on_lease_lost = 'error' or q.on_shutdown = 'pause'))
    returning r.job_id)
  select array_agg(w.job_id) into unbegun from waits w;
  if unbegun is not null then
    -- A mark for each, so that the whole of it is handed out: level 100, and straight there.
    select array_agg(case when t.id = any (unbegun) then coalesce(t.mark, 402) else t.mark end order by t.n) into marks
      from unnest(p_jobs, p_marks) with ordinality t (id, mark, n);
  end if;
end $$;
