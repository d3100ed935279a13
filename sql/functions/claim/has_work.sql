-- Whether these queues have a job that can be claimed now or in a moment, or this worker holds one: asked
-- before a worker reports itself idle. An empty claim does not prove it: a claim skips what others have
-- locked (a target that is just being settled, a job that upkeep is just moving) and starts behind its hint;
-- this reads what is committed and waits for no lock. A job that a limit keeps from starting is not work
-- until then; nor are jobs of paused queues.
create or replace function holdfast.has_work(p_queues int[], p_worker text, p_lease bigint) returns boolean
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
begin
  return exists (
      select from holdfast.queue q where q.id = any (p_queues) and q.paused_at is null
        and exists (select from holdfast.ready r where r.queue_id = q.id)
        and (not q.limited or not exists (select from holdfast.limits_reached(q))))
    or exists (select from holdfast.delayed d where d.due_at <= v_now and d.queue_id = any (p_queues))
    or exists (select from holdfast.held h where h.queue_id = any (p_queues) and h.state = 'waiting'
      and h.lane is null)
    or exists (select from holdfast.lane_todo t join holdfast.lane l on l.id = t.lane & -1024
      where l.queue_id = any (p_queues))
    -- claimed for this worker by a call whose reply is still on its way, or lost; or under an expired lease
    or exists (select from holdfast.running r where r.queue_id = any (p_queues) and (r.lease = p_lease
      or r.own_lease and r.worker_id = (select w.id from holdfast.worker w where w.name = p_worker)))
    or exists (select from holdfast.lease l join holdfast.running r on r.lease = l.id
      where (l.ended_at is not null or l.expires_at <= v_now and holdfast.accepting_writes_since()
        + interval '1 ms' * l.lease_ms <= v_now) and r.queue_id = any (p_queues));
end $$;

-- Which of these queues have a job to claim, after promoting what has fallen due: one query for all waiting
-- long polls, however many queues they name.
create or replace function holdfast.queues_with_work(p_queues int[]) returns int[]
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform holdfast.promote_due_work(1000);
  return array(select q.id from holdfast.queue q
    cross join lateral (select from holdfast.ready r where r.queue_id = q.id limit 1) r
    where q.id = any (p_queues) and q.paused_at is null);
end $$;
