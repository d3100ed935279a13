-- Starts a bulk operation: p_command for every job of the tenant that the search p_q finds. A process that
-- runs upkeep carries it out (take_bulk). The same p_request_key again returns the same operation; with
-- another p_fingerprint it is refused.
create or replace function holdfast.start_bulk(
  p_tenant text, p_command text, p_q text, p_until timestamptz default null, p_priority int default null,
  p_by int default null, p_expected bigint default null, p_expected_capped boolean default false,
  p_request_key text default null, p_fingerprint text default null, p_open_max int default 20,
  p_actor text default null, p_reason text default null, out id bigint, out created boolean)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_now timestamptz := holdfast.now();
  v_before record;
begin
  perform holdfast.check_tenant(p_tenant);
  if p_command = 'priority' and p_priority is null then
    perform holdfast.refuse('invalid_input', 'The command priority needs a priority, 0 to 100.',
      '{"path": "/priority"}');
  end if;
  -- One at a time, so that two calls with one key, and two that reach the limit, meet here.
  perform holdfast.take_turn('bulk');
  select o.id, o.fingerprint into v_before from holdfast.bulk_operation o
    where o.tenant = p_tenant and o.request_key = p_request_key;
  if found then
    if v_before.fingerprint is distinct from p_fingerprint then
      perform holdfast.refuse('idempotency_mismatch',
        format('The Idempotency-Key "%s" was used before with another body.', p_request_key),
        jsonb_build_object('key', p_request_key));
    end if;
    id := v_before.id;
    created := false;
    return;
  end if;
  if (select count(*) from holdfast.bulk_operation o where o.tenant = p_tenant
    and o.state in ('waiting', 'running')) >= p_open_max then
    perform holdfast.refuse('limit_exceeded',
      format('%s bulk operations of this tenant have not ended yet.', p_open_max),
      jsonb_build_object('limit', 'bulkOpenMax', 'max', p_open_max));
  end if;
  insert into holdfast.bulk_operation (tenant, command, q, until, priority, boost_by, expected,
    expected_capped, request_key, fingerprint, created_at, created_by, reason)
  values (p_tenant, p_command, p_q, coalesce(p_until, v_now), p_priority, case p_command when 'boost'
    then coalesce(p_by, 10) end, p_expected, p_expected_capped, p_request_key, p_fingerprint, v_now,
    p_actor, p_reason)
  returning bulk_operation.id into id;
  created := true;
  perform holdfast.add_tenant_event('bulk_started', p_tenant, p_actor, p_reason,
    jsonb_build_object('operation', id, 'command', p_command, 'q', p_q));
end $$;

-- Aborts a bulk operation. It waits for the page that is being applied; after it no job is changed.
create or replace function holdfast.abort_bulk(p_operation bigint, p_actor text default null,
  p_reason text default null) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_tenant text;
  v_state text;
begin
  update holdfast.bulk_operation o set state = 'aborted', ended_at = v_now, aborted_by = p_actor,
    abort_reason = p_reason, runner = null
    where o.id = p_operation and o.state in ('waiting', 'running')
    returning o.tenant into v_tenant;
  if found then
    perform holdfast.add_tenant_event('bulk_aborted', v_tenant, p_actor, p_reason,
      jsonb_build_object('operation', p_operation));
    return;
  end if;
  select o.state into v_state from holdfast.bulk_operation o where o.id = p_operation;
  if not found then
    perform holdfast.refuse('unknown_bulk', format('There is no bulk operation %s.', p_operation),
      jsonb_build_object('operation', p_operation));
  end if;
  perform holdfast.refuse('bulk_ended', format('Bulk operation %s has ended: it is %s.', p_operation,
    v_state), jsonb_build_object('operation', p_operation, 'state', v_state));
end $$;
