-- The kinds of a tenant's live jobs, with counts among at most p_max jobs of each place. Running, delayed and
-- held jobs are searched among the first ten times as many rows of their table, since no index has them by
-- queue.
create or replace function holdfast.live_kinds(p_tenant text, p_max int default 1000)
returns table (kind text, jobs bigint, parked bigint)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_queues int[] := array(select q.id from holdfast.queue q where q.tenant = p_tenant);
begin
  return query
  with live as materialized (
    (select r.job_id, false as parked from unnest(v_queues) q (id)
      cross join lateral (select x.job_id from holdfast.ready x where x.queue_id = q.id limit p_max) r
      limit p_max)
    union all
    (select d.job_id, false from (select x.job_id, x.queue_id from holdfast.delayed x limit 10 * p_max) d
      where d.queue_id = any (v_queues) limit p_max)
    union all
    (select h.job_id, h.state = 'parked' from (select x.job_id, x.queue_id, x.state from holdfast.held x
      limit 10 * p_max) h where h.queue_id = any (v_queues) limit p_max)
    union all
    (select r.job_id, false from (select x.job_id, x.queue_id from holdfast.running x limit 10 * p_max) r
      where r.queue_id = any (v_queues) limit p_max))
  select j.kind, count(*), count(*) filter (where l.parked) from live l
  join holdfast.job j on j.id = any (array[l.job_id]) group by j.kind order by j.kind;
end $$;
