-- Makes the job of a schedule now, for somebody who asks, paused or not, whatever else runs; the schedule itself stays where it is.
-- outcome: created · deduplicated.
create or replace function holdfast.run_schedule(p_schedule bigint, p_actor text default null, p_reason text default null,
  out outcome text, out job_id bigint)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_schedule holdfast.schedule := holdfast.own_schedule(p_schedule);
  v_made record;
begin
  select m.outcome, m.job_id into v_made from holdfast.make_scheduled(v_schedule) m;
  outcome := v_made.outcome;
  job_id := v_made.job_id;
  insert into holdfast.firing (tenant, schedule_id, slot, last_slot, slots, fired_at, outcome, job_id, note, actor)
    values (v_schedule.tenant, p_schedule, v_now, v_now, 1, v_now, 'manual', job_id,
      nullif(concat_ws('; ', p_reason, case outcome when 'deduplicated' then 'a live job has its subject' end), ''), p_actor);
  update holdfast.schedule s set last_run_at = v_now where s.id = p_schedule;
  perform holdfast.note_schedule('schedule_run', v_schedule.tenant, v_schedule.name, p_actor, p_reason, jsonb_build_object('job_id', job_id));
end $$;
