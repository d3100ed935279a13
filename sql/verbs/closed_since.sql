-- When the first key of the server was made here; null: never. From then on every server of this database asks for a key, whatever became of it.
create or replace function holdfast.closed_since() returns timestamptz
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$ select c.since from holdfast.closed c $$;
