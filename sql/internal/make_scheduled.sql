-- Makes the job of a schedule, unless a live job has its key or its subject already. What the schedule does not say is as its kind declares.
-- Its priority is 20 where neither says one, which is advised for what a schedule makes.
create or replace function holdfast.make_scheduled(p_schedule holdfast.schedule, out outcome text, out job_id bigint)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  select case e.status when 'created' then 'created' else 'deduplicated' end, e.job_id into outcome, job_id
    from holdfast.enqueue_many(jsonb_build_array(jsonb_build_object(
      'queue', p_schedule.queue, 'kind', p_schedule.kind, 'input', p_schedule.input, 
      'priority', coalesce(p_schedule.priority, (select k.priority from holdfast.kind k where k.tenant = p_schedule.tenant and k.kind = p_schedule.kind), 20),
      'subject', p_schedule.subject, 'key', coalesce(p_schedule.key, p_schedule.subject), 'target', p_schedule.target, 'created_by', 'schedule:' || p_schedule.name,
      'labels', jsonb_build_object('schedule', p_schedule.name))), p_schedule.tenant) e;
end $$;
