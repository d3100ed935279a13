-- Live jobs that are not in `ready`, by queue and state. These tables have no index by queue, and need none for anything else: so each is
-- read once, whatever is in it, and no further than p_most rows. A table that has more is counted as far as that.
create or replace function holdfast.count_elsewhere(p_most int) returns table (queue_id int, state text, jobs bigint)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select d.queue_id, d.state::text, count(*) from (select x.queue_id, x.state from holdfast.delayed x limit p_most) d group by 1, 2
  union all
  select h.queue_id, h.state::text, count(*) from (select x.queue_id, x.state from holdfast.held x limit p_most) h group by 1, 2
  union all
  select r.queue_id, r.state, count(*) from (
    select x.queue_id, case when x.started_at is null then 'assigned' else 'running' end as state from holdfast.running x limit p_most) r
    group by 1, 2
$$;
