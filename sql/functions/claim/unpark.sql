-- Requeues parked jobs of these kinds, because a worker that knows the kinds has started: at most p_limit in
-- one call. Each returns to the place its priority and age give it, and keeps its place at its target. Jobs
-- locked by another transaction are skipped.
create or replace function holdfast.unpark(p_queues int[], p_kinds text[], p_limit int default 1000)
  returns int
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_moved int;
  v_queues int[];
  v_targets text[];
begin
  with parked as materialized (
    select h.job_id from unnest(p_queues) u (id) cross join unnest(p_kinds) k (kind)
    join holdfast.held h on h.queue_id = any (array[u.id]) and h.kind = k.kind and h.state = 'parked'
    limit p_limit for update of h skip locked),
  deleted as (
    delete from holdfast.held h using parked p where h.job_id = any (array[p.job_id]) returning h.*),
  unparked as materialized (
    -- parked before its queue began to serialise targets: it arrives at its target now
    select g.*, q.tenant, q.order_by, q.external_trigger,
      case when g.lane is null and q.serialize_targets then (select j.target from holdfast.job j
        where j.id = g.job_id) end as arrives_at
    from deleted g join holdfast.queue q on q.id = any (array[g.queue_id])),
  ready_row as (
    insert into holdfast.ready (job_id, lane, ord, queue_id, attempt, interruptions, priority, failures,
      losses, keyed, level, since)
    select s.job_id, s.lane, s.ord, s.queue_id, s.attempt, s.interruptions, s.priority, s.failures, s.losses,
      s.keyed,
      holdfast.level_of(s.order_by, s.priority), v_now
    from unparked s where s.arrives_at is null),
  held_row as (
    insert into holdfast.held (job_id, queue_id, attempt, interruptions, priority, failures, losses, keyed,
      state, since, target)
    select s.job_id, s.queue_id, s.attempt, s.interruptions, s.priority, s.failures, s.losses, s.keyed,
      'waiting', v_now, s.arrives_at
    from unparked s where s.arrives_at is not null),
  outbox_row as (
    insert into holdfast.outbox (job_id, queue_id, created_at, trigger)
    select s.job_id, s.queue_id, v_now, s.external_trigger from unparked s
      where s.external_trigger is not null and s.arrives_at is null),
  event_row as (
    insert into holdfast.event (at, tenant, type, job_ids, reason)
    select v_now, s.tenant, 'unparked', array_agg(s.job_id), 'a worker that knows the kind has started'
      from unparked s group by s.tenant)
  select count(*), array_agg(s.queue_id) filter (where s.arrives_at is not null),
    array_agg(s.arrives_at) filter (where s.arrives_at is not null)
    into v_moved, v_queues, v_targets from unparked s;
  if v_targets is not null then
    perform holdfast.place_in_lanes(v_queues, v_targets, '{}');
  end if;
  return v_moved;
end $$;
