-- What a firing does, given the jobs of earlier ones that are still alive.
create or replace function holdfast.fire_over(p_schedule holdfast.schedule, out outcome text, out job_id bigint, out note text)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_live bigint[] := case when p_schedule.overlap <> 'allow' then holdfast.live_firings(p_schedule.id) end;
  v_old bigint;
begin
  if v_live is null or v_live = '{}' then
    null;
  elsif p_schedule.overlap = 'skip' then
    outcome := 'skipped';
    note := format('job %s of an earlier firing has not ended', v_live[1]);
    return;
  elsif p_schedule.overlap = 'queue_one' then
    outcome := case when p_schedule.waiting_slot is null then 'waiting' else 'skipped' end;
    note := case outcome when 'waiting' then format('until job %s has ended', v_live[1]) else 'one firing waits already' end;
    return;
  elsif exists (select from holdfast.queue q where q.tenant = p_schedule.tenant and q.name = p_schedule.queue and q.strict) then
    note := format('job %s goes on: in a strict queue only its worker ends a job', v_live[1]);
  else
    foreach v_old in array v_live loop
      perform holdfast.cancel(v_old, 'schedule:' || p_schedule.name, 'the next firing takes its place');
    end loop;
    note := format('in place of %s %s', case when cardinality(v_live) > 1 then 'jobs' else 'job' end, array_to_string(v_live, ', '));
  end if;
  select m.outcome, m.job_id into outcome, job_id from holdfast.make_scheduled(p_schedule) m;
end $$;
