-- The queries of a scheduler: which schedules are due, and how long it can sleep.

-- Schedules to fire now, the longest overdue first, and the time of the database; and those (`waiting`) whose
-- firing waited for a job that has ended since. p_schedule asks for one alone.
create or replace function holdfast.due_schedules(p_limit int default 100, p_schedule bigint default null)
returns table (id bigint, revision int, tenant text, name text, queue text, expression text, time_zone text,
  catch_up text, catch_up_max int, jitter_ms int, next_slot timestamptz, quiet_until timestamptz,
  waiting boolean, now timestamptz)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_now timestamptz := holdfast.now();
begin
  perform holdfast.check_sight(p_all => false);
  return query
    select s.id, s.revision, s.tenant, s.name, s.queue, s.expression, s.time_zone, s.catch_up, s.catch_up_max,
      s.jitter_ms, s.next_slot, greatest(s.quiet_until, w.until), false, v_now
    from holdfast.schedule s left join holdfast.schedule_window w on w.tenant = s.tenant
    where s.enabled and s.paused_at is null and s.next_run_at <= v_now
      and (p_schedule is null or s.id = p_schedule)
      and (w.tenant is null or w.until <= v_now)
    order by s.next_run_at, s.id limit p_limit;
  return query
    select s.id, s.revision, s.tenant, s.name, s.queue, s.expression, s.time_zone, s.catch_up, s.catch_up_max,
      s.jitter_ms, s.next_slot, s.quiet_until, true, v_now
    from holdfast.schedule s
    where s.waiting_slot is not null and s.enabled and s.paused_at is null
      and (p_schedule is null or s.id = p_schedule)
      and not holdfast.in_maintenance_window(s.tenant) and holdfast.live_firings(s.id) = '{}'
    order by s.waiting_slot, s.id limit p_limit;
end $$;

-- The time until the next firing in milliseconds, null when there is none; and whether a firing waits for a
-- job to end, which has no known time.
create or replace function holdfast.next_firing(out in_ms double precision, out waiting boolean)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform holdfast.check_sight(p_all => false);
  in_ms := (select extract(epoch from s.next_run_at - holdfast.now()) * 1000 from holdfast.schedule s
    where s.enabled and s.paused_at is null and not holdfast.in_maintenance_window(s.tenant)
      order by s.next_run_at limit 1);
  waiting := exists (select from holdfast.schedule s where s.waiting_slot is not null);
end $$;
