-- Changes policies of a queue at run time. Jobs already waiting keep their place in the order; everything else applies at once.
create or replace function holdfast.set_policy(p_queue int, p_policy jsonb, p_actor text default null, p_reason text default null) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform holdfast.check_policy(p_policy);
  update holdfast.queue q set order_by = n.order_by, max_retries = n.max_retries, retry_base_ms = n.retry_base_ms, retry_factor = n.retry_factor,
      retry_cap_ms = n.retry_cap_ms, jitter_low = n.jitter_low, jitter_high = n.jitter_high, lease_ms = n.lease_ms, heartbeat_ms = n.heartbeat_ms,
      renewed_by = n.renewed_by, on_lease_lost = n.on_lease_lost, crash_budget = n.crash_budget, on_cancel = n.on_cancel,
      on_shutdown = n.on_shutdown, serialize_targets = n.serialize_targets, on_error = n.on_error, dedup = n.dedup, dedup_by = n.dedup_by,
      strict = n.strict, timeout_ms = n.timeout_ms, items_key = n.items_key, external_trigger = n.external_trigger,
      max_running = n.max_running, max_running_per_target = n.max_running_per_target, rate_limit = n.rate_limit,
      rate_period_ms = n.rate_period_ms, rate_burst = n.rate_burst, retention_ms = n.retention_ms, updated_at = holdfast.now()
    from (select (jsonb_populate_record(b, p_policy)).* from holdfast.queue b where b.id = p_queue) n
    where q.id = p_queue;
  if not found then
    perform holdfast.refuse('unknown_queue', format('There is no queue with id %s.', p_queue), jsonb_build_object('queue_id', p_queue));
  end if;
  update holdfast.queue q set limited = holdfast.is_limited(q) where q.id = p_queue;
  perform holdfast.note('policy_set', null, p_queue, p_actor, p_reason, p_policy);
end $$;
