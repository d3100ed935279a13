-- Sets limits of a tenant, by the columns of holdfast.tenant: max_running, max_live_jobs,
-- enqueues_per_second, payload_bytes_max. Null removes a limit; omitted ones are unchanged. Claims enforce
-- the first, servers the others.
create or replace function holdfast.set_tenant_limits(p_tenant text, p_limits jsonb,
  p_actor text default null, p_reason text default null) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_unknown text := (select min(k.name) from jsonb_object_keys(p_limits) k (name)
    where k.name <> all (array['max_running', 'max_live_jobs', 'enqueues_per_second', 'payload_bytes_max']));
begin
  perform holdfast.check_sight(p_all => true);
  if v_unknown is not null then
    perform holdfast.refuse('invalid_input', format('There is no limit %s.', v_unknown),
      jsonb_build_object('path', '/' || v_unknown));
  end if;
  insert into holdfast.tenant (name, updated_at) values (p_tenant, v_now) on conflict (name) do nothing;
  update holdfast.tenant t set max_running = n.max_running, max_live_jobs = n.max_live_jobs,
      enqueues_per_second = n.enqueues_per_second, payload_bytes_max = n.payload_bytes_max, updated_at = v_now
    from (select (jsonb_populate_record(b, p_limits)).* from holdfast.tenant b where b.name = p_tenant) n
    where t.name = p_tenant;
  perform holdfast.mark_limited(array(select q.id from holdfast.queue q where q.tenant = p_tenant
    order by q.id));
  perform holdfast.add_tenant_event('tenant_limits_set', p_tenant, p_actor, p_reason, p_limits);
end $$;
