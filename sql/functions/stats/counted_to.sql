-- When count_minutes last ran: what happened later is not in any count yet. A run that finds nothing leaves
-- its mark only where upkeep reports it. Null: never.
create or replace function holdfast.counted_to() returns timestamptz
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select greatest((select c.last_run_at from holdfast.chore c where c.name = 'roll_up'),
    (select r.last_run_at from holdfast.chore_run r where r.name = 'roll-up' and r.error is null))
$$;
