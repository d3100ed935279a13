-- The one clock. clock_timestamp, not now(): the time of the transaction's start would give leases that are born expired.
-- Tests replace this function to pin the clock, so no verb may read the time in any other way.
create or replace function holdfast.now() returns timestamptz
language sql volatile parallel safe
as $$ select pg_catalog.clock_timestamp() $$;
