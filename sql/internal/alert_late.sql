-- Schedules that are due and have not fired, in rounds of the scheduler: nobody fires them, or whoever does cannot. Those that are paused, or in a
-- maintenance window, are not late.
create or replace function holdfast.alert_late() returns table (tenant text, rule text, subject text, value numeric, data jsonb)
language sql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set jit = off
as $$
  select s.tenant, 'schedule_late', s.name, round(extract(epoch from holdfast.now() - s.next_run_at) / holdfast.setting_number('SCHEDULER_EVERY_SEC'), 1),
    jsonb_build_object('schedule', s.name, 'due_at', s.next_run_at)
  from (
    select x.tenant, x.name, x.next_run_at from holdfast.schedule x
    where x.enabled and x.paused_at is null and x.next_run_at < holdfast.now() order by x.next_run_at limit 1000) s
  where not holdfast.is_quiet(s.tenant)
$$;
