-- A schedule, kept from everybody else until we commit; refused when there is none that the caller may see.
create or replace function holdfast.own_schedule(p_schedule bigint) returns holdfast.schedule
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_schedule holdfast.schedule;
begin
  select * into v_schedule from holdfast.schedule s where s.id = p_schedule for update;
  if not found then
    perform holdfast.refuse('unknown_schedule', format('There is no schedule %s.', p_schedule), jsonb_build_object('schedule', p_schedule));
  end if;
  return v_schedule;
end $$;
