-- Targets blocked by a paused, errored or parked job, the longest blocked first, of one queue or of all that
-- serialise targets; `behind` is how many jobs wait behind it, counted up to p_max. Each queue has an index
-- of its blocked targets by time, and each target one of the jobs that wait for it.
create or replace function holdfast.find_targets(
  p_tenant text, p_queue text default null, p_limit int default 100, p_max int default 1000)
returns table (job_id bigint, queue text, target text, kind text, state holdfast.state, status text,
  reason text, last_error text, since timestamptz, behind bigint)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query
  with blocked as materialized (
    select q.id as queue_id, q.name, q.preset, h.job_id, h.lane, h.state, h.reason, h.since, h.attempt
    from holdfast.queue q cross join lateral (
      select x.job_id, x.lane, x.state, x.reason, x.since, x.attempt from holdfast.held x
      where x.queue_id = q.id and x.state in ('paused', 'errored', 'parked') and x.lane is not null
      order by x.since limit p_limit) h
    where q.tenant = p_tenant and q.serialize_targets and (p_queue is null or q.name = p_queue)
    order by h.since, h.job_id limit p_limit)
  select b.job_id, b.name, j.target::text, j.kind, b.state::text::holdfast.state,
    holdfast.state_word(b.preset, b.state::text::holdfast.state, b.attempt > 0), b.reason, e.error_message,
    b.since,
    least(p_max, (select count(*) from (select from holdfast.held w where w.lane = b.lane & -1024
        and w.state = 'waiting' limit p_max) x)
      -- those that have arrived and have no place in the lane yet
      + (select count(*) from (select from holdfast.held w where w.queue_id = b.queue_id
        and w.target = j.target and w.state = 'waiting' and w.lane is null limit p_max) x))
  from blocked b join holdfast.job j on j.id = any (array[b.job_id])
    left join lateral (select a.error_message from holdfast.attempt a where a.job_id = any (array[b.job_id])
      and a.error_message is not null order by a.attempt desc limit 1) e on true
  order by b.since, b.job_id;
end $$;
