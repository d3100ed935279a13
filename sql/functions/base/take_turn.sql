-- Serialises a task across processes until the transaction ends. With p_wait other callers wait; without it
-- they get false and leave the task to the process that has the turn.
create or replace function holdfast.take_turn(p_name text, p_wait boolean default true) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if p_wait then
    perform from holdfast.turn t where t.name = p_name for update;
  else
    perform from holdfast.turn t where t.name = p_name for update skip locked;
  end if;
  return found;
end $$;
