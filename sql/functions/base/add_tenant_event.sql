-- Records what a caller did to something of a tenant that is neither a job nor a queue: a key, a webhook, a
-- schedule, a saved view.
create or replace function holdfast.add_tenant_event(p_type text, p_tenant text, p_actor text, p_reason text,
  p_data jsonb) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  insert into holdfast.event (at, tenant, type, actor, reason, data)
  values (holdfast.now(), p_tenant, p_type, p_actor, p_reason, p_data)
$$;
