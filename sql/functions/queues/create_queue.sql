-- Creates queues and changes their policies.

-- Creates a queue from a preset; p_policy overrides columns of holdfast.preset. With p_if_missing an existing
-- queue is left as it is and its id returned.
create or replace function holdfast.create_queue(
  p_name text, p_preset text default 'default', p_policy jsonb default '{}', p_tenant text default 'default',
  p_actor text default null, p_if_missing boolean default false
) returns int
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_id int;
begin
  perform holdfast.check_tenant(p_tenant);
  perform holdfast.check_policy(p_policy);
  insert into holdfast.queue (tenant, name, preset, order_by, max_retries, retry_base_ms, retry_factor,
      retry_cap_ms, jitter_low, jitter_high, lease_ms, heartbeat_ms, renewed_by, on_lease_lost, crash_budget,
      on_cancel, on_shutdown, serialize_targets, on_error, dedup, dedup_by,
      strict, timeout_ms, items_key, external_trigger, max_running, max_running_per_target, rate_limit,
      rate_period_ms, rate_burst, rate_per_key, retention_ms, record_starts, unknown_kinds, created_at,
      updated_at)
    select p_tenant, p_name, p.preset, p.order_by, p.max_retries, p.retry_base_ms, p.retry_factor,
      p.retry_cap_ms, p.jitter_low, p.jitter_high, p.lease_ms, p.heartbeat_ms, p.renewed_by, p.on_lease_lost,
      p.crash_budget, p.on_cancel, p.on_shutdown, p.serialize_targets, p.on_error,
      p.dedup, p.dedup_by, p.strict, p.timeout_ms, p.items_key, p.external_trigger, p.max_running,
      p.max_running_per_target, p.rate_limit, p.rate_period_ms, p.rate_burst, p.rate_per_key, p.retention_ms,
      p.record_starts, p.unknown_kinds, holdfast.now(), holdfast.now()
    from (select (jsonb_populate_record(b, p_policy)).* from holdfast.preset b where b.preset = p_preset) p
    on conflict (tenant, name) do nothing
    returning id into v_id;
  if v_id is null then
    if not exists (select from holdfast.preset where preset = p_preset) then
      perform holdfast.refuse('unknown_preset', format('There is no preset named %s.', p_preset),
        jsonb_build_object('preset', p_preset));
    end if;
    if p_if_missing then
      return (select id from holdfast.queue where tenant = p_tenant and name = p_name);
    end if;
    perform holdfast.refuse('queue_exists', format('The queue %s exists already.', p_name),
      jsonb_build_object('queue', p_name));
  end if;
  update holdfast.queue q set limited = true where q.id = v_id and holdfast.is_limited(q);
  perform holdfast.add_event('queue_created', null, v_id, p_actor, null,
    jsonb_build_object('preset', p_preset, 'policy', p_policy));
  return v_id;
end $$;

-- Changes policies of a queue at run time. Jobs that already wait keep their place in the order; everything
-- else applies at once.
create or replace function holdfast.set_policy(p_queue int, p_policy jsonb, p_actor text default null,
  p_reason text default null) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform holdfast.check_policy(p_policy);
  update holdfast.queue q set order_by = n.order_by, max_retries = n.max_retries,
      retry_base_ms = n.retry_base_ms, retry_factor = n.retry_factor,
      retry_cap_ms = n.retry_cap_ms, jitter_low = n.jitter_low, jitter_high = n.jitter_high,
      lease_ms = n.lease_ms, heartbeat_ms = n.heartbeat_ms, renewed_by = n.renewed_by,
      on_lease_lost = n.on_lease_lost, crash_budget = n.crash_budget, on_cancel = n.on_cancel,
      on_shutdown = n.on_shutdown, serialize_targets = n.serialize_targets, on_error = n.on_error,
      dedup = n.dedup, dedup_by = n.dedup_by, strict = n.strict, timeout_ms = n.timeout_ms,
      items_key = n.items_key, external_trigger = n.external_trigger,
      max_running = n.max_running, max_running_per_target = n.max_running_per_target,
      rate_limit = n.rate_limit, rate_period_ms = n.rate_period_ms, rate_burst = n.rate_burst,
      rate_per_key = n.rate_per_key, retention_ms = n.retention_ms, record_starts = n.record_starts,
      unknown_kinds = n.unknown_kinds, updated_at = holdfast.now()
    from (select (jsonb_populate_record(b, p_policy)).* from holdfast.queue b where b.id = p_queue) n
    where q.id = p_queue;
  if not found then
    perform holdfast.refuse('unknown_queue', format('There is no queue with id %s.', p_queue),
      jsonb_build_object('queue_id', p_queue));
  end if;
  perform holdfast.mark_limited(array[p_queue]);
  -- Targets that may run more jobs now: settled by the next claim or upkeep pass.
  if p_policy ? 'max_running_per_target' then
    insert into holdfast.lane_todo (lane, ended) select l.id, 0 from holdfast.lane l
      where l.queue_id = p_queue;
  end if;
  perform holdfast.add_event('policy_set', null, p_queue, p_actor, p_reason, p_policy);
end $$;

-- Refuses a policy that is not a column of holdfast.preset: a misspelt one must not be ignored silently.
create or replace function holdfast.check_policy(p_policy jsonb) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_unknown text;
begin
  select k into v_unknown from jsonb_object_keys(p_policy) k
    where k = 'preset' or not (select to_jsonb(p) from holdfast.preset p where p.preset = 'default') ? k
      limit 1;
  if v_unknown is not null then
    perform holdfast.refuse('invalid_input', format('There is no policy named %s.', v_unknown),
      jsonb_build_object('path', '/policy/' || v_unknown));
  end if;
end $$;
