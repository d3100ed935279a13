-- The one clock of the database. clock_timestamp() and not now(): the start of the transaction would give
-- leases that are expired when they are opened. Tests replace this function to pin the clock, so no function
-- may read the time in any other way.
create or replace function holdfast.now() returns timestamptz
language sql volatile parallel safe
as $$ select pg_catalog.clock_timestamp() $$;

-- The time, for views: a view calls functions with the rights of its reader, who need not be able to read the
-- clock.
create or replace function holdfast.view_now() returns timestamptz
language sql volatile security definer
set search_path = pg_catalog, pg_temp
as $$ select holdfast.now() $$;

-- Whether a time is in the future, for views; see view_now.
create or replace function holdfast.is_ahead(p_at timestamptz) returns boolean
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$ select p_at > holdfast.now() $$;
