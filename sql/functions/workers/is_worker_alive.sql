-- Whether a worker with this last heartbeat counts as alive: heartbeats come at least every ten seconds, and
-- three of them may be missed. The view `workers` calls it as its reader, who need not be able to read the
-- clock.
create or replace function holdfast.is_worker_alive(p_at timestamptz) returns boolean
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$ select p_at > holdfast.now() - interval '30 seconds' $$;
