-- The time, for views: they call functions as whoever reads them.
create or replace function holdfast.asked_at() returns timestamptz
language sql volatile security definer
set search_path = pg_catalog, pg_temp
as $$ select holdfast.now() $$;
