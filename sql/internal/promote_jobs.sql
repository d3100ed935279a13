-- Moves delayed jobs to `ready`; one that is due for its target for the first time arrives there instead, and is put in line
-- by the caller, who may have other lanes to take.
create or replace function holdfast.promote_jobs(p_jobs bigint[]) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_now timestamptz := holdfast.now();
  v_moved int;
begin
  if p_jobs = '{}' then
    return 0;
  end if;
  with gone as (
    delete from holdfast.delayed d using unnest(p_jobs) p (job_id) where d.job_id = any (array[p.job_id]) returning d.*),
  sorted as materialized (
    select g.*, q.tenant, q.order_by, q.external_trigger,
      case when g.lane is null and q.serialize_targets then (select j.target from holdfast.job j where j.id = g.job_id) end as target
    from gone g join holdfast.queue q on q.id = any (array[g.queue_id])),
  came as (
    insert into holdfast.ready (job_id, lane, ord, queue_id, attempt, interruptions, priority, failures, losses, keyed, level, since)
    select s.job_id, s.lane, s.ord, s.queue_id, s.attempt, s.interruptions, s.priority, s.failures, s.losses, s.keyed,
      case s.order_by when 'fifo' then 0 else 100 - s.priority end, s.due_at
    from sorted s where s.target is null),
  arrived as (
    insert into holdfast.held (job_id, queue_id, attempt, interruptions, priority, failures, losses, keyed, state, since, target)
    select s.job_id, s.queue_id, s.attempt, s.interruptions, s.priority, s.failures, s.losses, s.keyed, 'waiting', s.due_at, s.target
    from sorted s where s.target is not null),
  called as (
    insert into holdfast.outbox (job_id, queue_id, created_at, trigger)
    select s.job_id, s.queue_id, v_now, s.external_trigger from sorted s where s.external_trigger is not null and s.target is null),
  told as (
    insert into holdfast.event (at, tenant, type, job_ids)
    select v_now, s.tenant, 'promoted', array_agg(s.job_id) from sorted s group by s.tenant)
  select count(*) into v_moved from sorted s;
  return v_moved;
end $$;
