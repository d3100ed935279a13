-- Takes what was started out of a queue's bucket; the queue's row is still locked by grants.
create or replace function holdfast.spend(p_queue int, p_started int) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$ update holdfast.rate set tokens = tokens - p_started where queue_id = p_queue and p_started > 0 $$;
