-- Those of these queues that an external trigger tells of; from the others its workers claim as usual.
create or replace function holdfast.told_queues(p_tenant text, p_trigger text, p_queues text[]) returns text[]
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(array_agg(q.name), '{}') from holdfast.queue q
  where q.tenant = p_tenant and q.name = any (p_queues) and q.external_trigger = p_trigger
$$;
