-- Whether a time is still to come. Asked by whoever reads, who need not be able to read the clock.
create or replace function holdfast.is_ahead(p_at timestamptz) returns boolean
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$ select p_at > holdfast.now() $$;
