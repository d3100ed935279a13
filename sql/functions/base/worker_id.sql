-- The small number that stands for a worker's name; created at its first use.
create or replace function holdfast.worker_id(p_name text) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_id int;
begin
  select w.id into v_id from holdfast.worker w where w.name = p_name;
  while v_id is null loop
    insert into holdfast.worker (name, created_at) values (p_name, holdfast.now())
      on conflict (name) do nothing returning id into v_id;
    if v_id is null then
      select w.id into v_id from holdfast.worker w where w.name = p_name;
    end if;
  end loop;
  return v_id;
end $$;
