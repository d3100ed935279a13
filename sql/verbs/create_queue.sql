-- Makes a queue from a preset, with the policies given in p_policy (column names of holdfast.preset) in place of the preset's.
-- With p_if_missing an existing queue is left as it is and its id returned.
create or replace function holdfast.create_queue(
  p_name text, p_preset text default 'default', p_policy jsonb default '{}', p_tenant text default 'default', p_actor text default null,
  p_if_missing boolean default false
) returns int
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_id int;
begin
  perform holdfast.check_tenant(p_tenant);
  perform holdfast.check_policy(p_policy);
  insert into holdfast.queue (tenant, name, preset, order_by, max_retries, retry_base_ms, retry_factor, retry_cap_ms, jitter_low, jitter_high,
      lease_ms, heartbeat_ms, renewed_by, on_lease_lost, crash_budget, on_cancel, on_shutdown, serialize_targets, on_error, dedup, dedup_by,
      strict, timeout_ms, items_key, external_trigger, max_running, max_running_per_target, rate_limit, rate_period_ms, rate_burst, rate_per_key,
      retention_ms, created_at, updated_at)
    select p_tenant, p_name, p.preset, p.order_by, p.max_retries, p.retry_base_ms, p.retry_factor, p.retry_cap_ms, p.jitter_low, p.jitter_high,
      p.lease_ms, p.heartbeat_ms, p.renewed_by, p.on_lease_lost, p.crash_budget, p.on_cancel, p.on_shutdown, p.serialize_targets, p.on_error,
      p.dedup, p.dedup_by, p.strict, p.timeout_ms, p.items_key, p.external_trigger, p.max_running, p.max_running_per_target, p.rate_limit,
      p.rate_period_ms, p.rate_burst, p.rate_per_key, p.retention_ms, holdfast.now(), holdfast.now()
    from (select (jsonb_populate_record(b, p_policy)).* from holdfast.preset b where b.preset = p_preset) p
    on conflict (tenant, name) do nothing
    returning id into v_id;
  if v_id is null then
    if not exists (select from holdfast.preset where preset = p_preset) then
      perform holdfast.refuse('unknown_preset', format('There is no preset named %s.', p_preset), jsonb_build_object('preset', p_preset));
    end if;
    if p_if_missing then
      return (select id from holdfast.queue where tenant = p_tenant and name = p_name);
    end if;
    perform holdfast.refuse('queue_exists', format('The queue %s exists already.', p_name), jsonb_build_object('queue', p_name));
  end if;
  update holdfast.queue q set limited = true where q.id = v_id and holdfast.is_limited(q);
  perform holdfast.note('queue_created', null, v_id, p_actor, null, jsonb_build_object('preset', p_preset, 'policy', p_policy));
  return v_id;
end $$;
