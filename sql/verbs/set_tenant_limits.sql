-- Sets how many jobs of a tenant may run at once, over all its queues and workers; null lifts the limit.
create or replace function holdfast.set_tenant_limits(p_tenant text, p_max_running int, p_actor text default null, p_reason text default null) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform holdfast.check_tenant(p_tenant);
  insert into holdfast.tenant (name, max_running, updated_at) values (p_tenant, p_max_running, holdfast.now())
    on conflict (name) do update set max_running = excluded.max_running, updated_at = excluded.updated_at;
  perform holdfast.mark_limited(array(select q.id from holdfast.queue q where q.tenant = p_tenant order by q.id));
  insert into holdfast.event (at, tenant, type, actor, reason, data)
    values (holdfast.now(), p_tenant, 'tenant_limits_set', p_actor, p_reason, jsonb_build_object('max_running', p_max_running));
end $$;
