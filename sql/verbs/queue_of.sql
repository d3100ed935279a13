-- The queue a job is in. Whoever looks a job up in the view `jobs` gives both: with the queue known, Postgres 15 to 17 find it in
-- `ready` by its index instead of walking it.
create or replace function holdfast.queue_of(p_job bigint) returns int
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$ select j.queue_id from holdfast.job j where j.id = p_job $$;
