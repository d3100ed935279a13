-- Which of these queues have the trigger; from the others its workers claim as usual.
create or replace function holdfast.triggered_queues(p_tenant text, p_trigger text, p_queues text[])
returns text[]
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(array_agg(q.name), '{}') from holdfast.queue q
  where q.tenant = p_tenant and q.name = any (p_queues) and q.external_trigger = p_trigger
$$;
