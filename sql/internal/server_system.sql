-- Which database server this is: the number that initdb gave it, also kept by its standbys and physical copies. Transaction ids mean something only there.
create or replace function holdfast.server_system() returns text
language sql
set search_path = pg_catalog, pg_temp
as $$
  select to_hex(c.system_identifier) from pg_control_system() c
$$;
