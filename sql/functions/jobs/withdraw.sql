-- Takes a job out of whichever waiting place it is in and returns its row, for a verb that puts it elsewhere
-- in the same transaction. Null fields: it is not waiting anywhere, but running, ended, or unknown. A job can
-- move during the search, so the places are searched again, each time in a new statement, until its state is
-- certain.
create or replace function holdfast.withdraw(p_job bigint, out state holdfast.state, out live holdfast.live,
  out since timestamptz)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_queue int;
  r record;
begin
  select j.queue_id into v_queue from holdfast.job j where j.id = p_job;
  if not found then
    return;
  end if;
  for i in 1..20 loop
    delete from holdfast.ready x
      where x.queue_id = v_queue and x.level = any (holdfast.all_levels()) and x.job_id = p_job
      returning 'queued'::holdfast.state as state, x.since as since,
        (x.job_id, x.lane, x.ord, x.queue_id, x.attempt, x.interruptions, x.priority, x.failures, x.losses,
          x.keyed)::holdfast.live as live
      into r;
    if not found then
      delete from holdfast.delayed x where x.job_id = p_job
        returning x.state::text::holdfast.state as state, x.due_at as since,
          (x.job_id, x.lane, x.ord, x.queue_id, x.attempt, x.interruptions, x.priority, x.failures, x.losses,
            x.keyed)::holdfast.live as live
        into r;
    end if;
    if not found then
      delete from holdfast.held x where x.job_id = p_job
        returning x.state::text::holdfast.state as state, x.since as since,
          (x.job_id, x.lane, x.ord, x.queue_id, x.attempt, x.interruptions, x.priority, x.failures, x.losses,
            x.keyed)::holdfast.live as live
        into r;
    end if;
    if found then
      state := r.state;
      since := r.since;
      live := r.live;
      return;
    end if;
    exit when holdfast.state_of(p_job) in ('assigned', 'running', 'succeeded', 'failed', 'canceled');
  end loop;
end $$;
