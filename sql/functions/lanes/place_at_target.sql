-- For explain: how a job that waits for its target stands. `free`: how many jobs the next claim would start
-- there; `before_it`: how many of those in line and arriving would start before it (counted no further than
-- `free`); `holder`: the first job that occupies the target; `first`: the first of those before it. It could
-- be claimed now if before_it < free.
--
-- p_lane and p_ord are its place in line; a job without one has arrived in a caller's transaction or has just
-- fallen due, and would come behind the line, ordered by age. A slot is also free if its job has ended and is
-- not settled yet, or if a sweep would end it.
create or replace function holdfast.place_at_target(
  p_job bigint, p_queue holdfast.queue, p_target text, p_lane bigint, p_ord bigint, p_now timestamptz,
  out free int, out before_it int, out holder bigint, out first bigint
)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_lane holdfast.lane;
begin
  select * into v_lane from holdfast.lane l where l.queue_id = p_queue.id and l.target = p_target;
  select p_queue.max_running_per_target - count(*), min(h.job_id) into free, holder
    from unnest(v_lane.head || v_lane.more) h (job_id)
    where h.job_id <> 0 and not exists (select from holdfast.attempt a where a.job_id = h.job_id and a.final)
      and coalesce(holdfast.state_after_loss(h.job_id, p_now) not in ('failed', 'canceled'), true);
  free := greatest(free, 0);
  select count(*), min(b.job_id) into before_it, first from (
    select b.job_id from (
      select x.* from (
        select h.job_id from holdfast.held h where h.lane = v_lane.id and h.state = 'waiting'
          and (p_lane is null or h.ord < p_ord)
        order by h.ord limit free + 1) x
      union all
      select x.* from (
        select h.job_id from holdfast.held h
        where p_lane is null and h.state = 'waiting' and h.lane is null and h.queue_id = p_queue.id
          and h.target = p_target and h.job_id < p_job
        order by h.job_id limit free + 1) x
      union all
      -- as many as a claim promotes at once
      select d.job_id from (
        select d.job_id, d.queue_id, d.lane from holdfast.delayed d
        where p_lane is null and d.due_at <= p_now order by d.due_at limit 1000) d
      join holdfast.job j on j.id = any (array[d.job_id])
      where d.lane is null and d.queue_id = p_queue.id and j.target = p_target and d.job_id < p_job
        and p_queue.serialize_targets) b
    limit free + 1) b;
end $$;
