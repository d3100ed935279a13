-- Schedules that are due and have not fired, in rounds of the scheduler: nobody fires them, or whoever does cannot. Those that are paused, or in a
-- maintenance window, are not late, and of those that were, the time since counts.
create or replace function holdfast.alert_late() returns table (tenant text, rule text, subject text, value numeric, data jsonb)
language sql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set jit = off
as $$
  select s.tenant, 'schedule_late', s.name, round(extract(epoch from holdfast.now() - s.free_since) / holdfast.setting_number('SCHEDULER_EVERY_SEC'), 1),
    jsonb_build_object('schedule', s.name, 'due_at', s.next_run_at)
  from (
    select x.tenant, x.name, x.next_run_at, greatest(x.next_run_at, x.quiet_until,
        (select w.until from holdfast.schedule_window w where w.tenant = x.tenant)) as free_since
    from holdfast.schedule x
    where x.enabled and x.paused_at is null and x.next_run_at < holdfast.now() order by x.next_run_at limit 1000) s
  where not holdfast.is_quiet(s.tenant)
$$;
