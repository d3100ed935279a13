-- Stops claims from a queue. A flag of the queue, not a state of its jobs: nothing moves, and running jobs
-- continue. False: it was paused already.
create or replace function holdfast.pause_queue(p_queue int, p_actor text default null,
  p_reason text default null) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  update holdfast.queue set paused_at = holdfast.now(), paused_by = p_actor, pause_reason = p_reason,
    updated_at = holdfast.now()
    where id = p_queue and paused_at is null;
  if found then
    perform holdfast.add_event('queue_paused', null, p_queue, p_actor, p_reason);
    return true;
  end if;
  perform holdfast.refuse('unknown_queue', format('There is no queue with id %s.', p_queue),
    jsonb_build_object('queue_id', p_queue))
    where not exists (select from holdfast.queue where id = p_queue);
  return false;
end $$;

-- Allows claims from a paused queue again. False: it was not paused.
create or replace function holdfast.resume_queue(p_queue int, p_actor text default null,
  p_reason text default null) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  update holdfast.queue set paused_at = null, paused_by = null, pause_reason = null,
    updated_at = holdfast.now()
    where id = p_queue and paused_at is not null;
  if found then
    perform holdfast.add_event('queue_resumed', null, p_queue, p_actor, p_reason);
    return true;
  end if;
  perform holdfast.refuse('unknown_queue', format('There is no queue with id %s.', p_queue),
    jsonb_build_object('queue_id', p_queue))
    where not exists (select from holdfast.queue where id = p_queue);
  return false;
end $$;
