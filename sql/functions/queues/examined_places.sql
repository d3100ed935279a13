-- Jobs by place, queue and state among the first p_examined rows of each table that has no index by queue.
-- `capped`: the table has more rows. By queue first, so that it costs the same for one tenant of a thousand.
create or replace function holdfast.examined_places(p_examined int)
returns table (place text, queue_id int, state text, jobs bigint, capped boolean)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return query
  select 'running', r.queue_id, 'running', count(*), sum(count(*)) over () > p_examined
  from (select x.queue_id from holdfast.running x limit p_examined + 1) r group by r.queue_id
  union all
  select 'delayed', d.queue_id, 'delayed', count(*), sum(count(*)) over () > p_examined
  from (select x.queue_id from holdfast.delayed x limit p_examined + 1) d group by d.queue_id
  union all
  select 'held', h.queue_id, h.state::text, count(*), sum(count(*)) over () > p_examined
  from (select x.queue_id, x.state from holdfast.held x limit p_examined + 1) h group by h.queue_id, h.state;
end $$;
