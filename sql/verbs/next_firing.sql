-- When there will be something to fire, as a number of milliseconds from now: null when nothing is ahead, and whether a firing waits for a
-- job to end, which nobody can know the time of.
create or replace function holdfast.next_firing(out in_ms double precision, out waiting boolean)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform holdfast.check_sight(p_all => false);
  in_ms := (select extract(epoch from s.next_run_at - holdfast.now()) * 1000 from holdfast.schedule s
    where s.enabled and s.paused_at is null and not holdfast.is_quiet(s.tenant) order by s.next_run_at limit 1);
  waiting := exists (select from holdfast.schedule s where s.waiting_slot is not null);
end $$;
