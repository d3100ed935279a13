-- Moves delayed jobs to `ready`; one that is due for its target for the first time gets in line there instead.
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
  v_queues int[];
  v_targets text[];
  v_live holdfast.live[];
begin
  if p_jobs = '{}' then
    return 0;
  end if;
  with gone as (
    delete from holdfast.delayed d using unnest(p_jobs) p (job_id) where d.job_id = p.job_id returning d.*),
  sorted as materialized (
    select g.*, q.tenant, q.order_by, q.external_trigger,
      case when g.lane is null and q.serialize_targets then (select j.target from holdfast.job j where j.id = g.job_id) end as target
    from gone g join holdfast.queue q on q.id = g.queue_id),
  came as (
    insert into holdfast.ready (job_id, lane, ord, queue_id, attempt, interruptions, priority, failures, losses, keyed, level, since)
    select s.job_id, s.lane, s.ord, s.queue_id, s.attempt, s.interruptions, s.priority, s.failures, s.losses, s.keyed,
      case s.order_by when 'fifo' then 0 else 100 - s.priority end, s.due_at
    from sorted s where s.target is null),
  called as (
    insert into holdfast.outbox (job_id, queue_id, created_at, trigger)
    select s.job_id, s.queue_id, v_now, s.external_trigger from sorted s where s.external_trigger is not null),
  told as (
    insert into holdfast.event (at, tenant, type, job_ids)
    select v_now, s.tenant, 'promoted', array_agg(s.job_id) from sorted s group by s.tenant)
  select count(*), array_agg(s.queue_id) filter (where s.target is not null), array_agg(s.target) filter (where s.target is not null),
      array_agg((s.job_id, null, null, s.queue_id, s.attempt, s.interruptions, s.priority, s.failures, s.losses, s.keyed)::holdfast.live)
        filter (where s.target is not null)
    into v_moved, v_queues, v_targets, v_live
    from sorted s;
  if v_queues is not null then
    perform holdfast.place_in_lanes(v_queues, v_targets, v_live);
  end if;
  return v_moved;
end $$;
