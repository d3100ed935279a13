-- The queues of my tenants, for the policies of the tables whose rows carry a queue: asked once a statement, not once a row.
-- Null means every queue; nobody's queues are an empty array.
create or replace function holdfast.my_queues() returns int[]
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $$
declare
  v_tenants text[] := holdfast.my_tenants();
begin
  if v_tenants = '{*}' then
    return null;
  end if;
  return array(select q.id from holdfast.queue q where q.tenant = any (v_tenants));
end $$;
