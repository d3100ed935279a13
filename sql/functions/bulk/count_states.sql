-- Counts jobs by what decides whether a command applies to them: their state, whether their queue is strict,
-- and of queued ones whether they have been tried. For the preview of a bulk operation.
create or replace function holdfast.count_states(p_jobs bigint[])
returns table (state holdfast.state, strict boolean, attempted boolean, jobs int)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query select s.state, s.strict, s.attempted, count(*)::int from (
      select p.state, q.strict, p.attempted
      from unnest(p_jobs) i (id) join holdfast.job j on j.id = any (array[i.id])
        join holdfast.queue q on q.id = any (array[j.queue_id])
        cross join lateral (
          select a.moved_to as state, true as attempted from holdfast.attempt a
            where a.job_id = j.id and a.final
          union all
          select case when r.started_at is null then 'assigned' else 'running' end::holdfast.state, true
            from holdfast.running r where r.job_id = j.id
          union all
          select d.state::text::holdfast.state, true from holdfast.delayed d where d.job_id = j.id
          union all
          select h.state::text::holdfast.state, true from holdfast.held h where h.job_id = j.id
          union all
          select 'queued', r.attempt > 0 from holdfast.ready r where r.queue_id = j.queue_id
            and r.level = any (holdfast.all_levels()) and r.job_id = j.id
          limit 1) p) s
    group by s.state, s.strict, s.attempted;
end $$;
