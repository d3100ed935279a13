-- Worker processes as operators see them (the view `workers`): heartbeats, requests to drain, removal. None
-- of it touches leases, which alone decide who holds a job.

-- A heartbeat of a worker process. Returns whether an operator asked it to drain. Only the view `workers`
-- depends on it, so the row is written at most every ten seconds, or when a field has changed. The event loop
-- lag changes all the time, so it is only written along with these, or when it crosses one second. A locked
-- row is not waited for: the next heartbeat writes it. A version that is new here is recorded, so that
-- attempts can be counted by version.
create or replace function holdfast.worker_heartbeat(
  p_worker text, p_host text, p_pid int, p_version text, p_kinds text[], p_queues text[], p_tenant text,
  p_slots int, p_busy int, p_lag_ms int, p_draining boolean, p_over_http boolean default false,
  p_app_version text default null
) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_worker int := holdfast.worker_id(p_worker);
  v_known holdfast.presence;
  -- A request to this process, not to another one of the same name.
  v_drain boolean := exists (select from holdfast.drain_request d
    where d.worker_id = v_worker and d.tenant = p_tenant and d.host = p_host and d.pid = p_pid);
begin
  perform holdfast.check_tenant(p_tenant);
  select * into v_known from holdfast.presence p where p.worker_id = v_worker and p.tenant = p_tenant;
  if v_known.heartbeat_at > v_now - interval '10 seconds'
    and (v_known.host, v_known.pid, v_known.version, v_known.kinds, v_known.queues, v_known.slots,
      v_known.busy, v_known.draining, v_known.over_http)
      = (p_host, p_pid, p_version, p_kinds, p_queues, p_slots, p_busy, p_draining, p_over_http)
    and v_known.app_version is not distinct from p_app_version
    and (v_known.lag_ms > 1000) = (p_lag_ms > 1000) then
    return v_drain;
  end if;
  if v_known.heartbeat_at is not null then
    perform from holdfast.presence p where p.worker_id = v_worker and p.tenant = p_tenant
      for no key update skip locked;
    if not found then
      return v_drain;
    end if;
  end if;
  if p_app_version is distinct from v_known.app_version and p_app_version is not null then
    insert into holdfast.worker_version (tenant, worker_id, since, version)
      values (p_tenant, v_worker, v_now, p_app_version) on conflict (tenant, worker_id, since)
      do update set version = excluded.version;
  end if;
  insert into holdfast.presence as p (worker_id, tenant, host, pid, version, kinds, queues, slots, busy,
    lag_ms, draining, started_at, heartbeat_at, over_http, app_version)
    values (v_worker, p_tenant, p_host, p_pid, p_version, p_kinds, p_queues, p_slots, p_busy, p_lag_ms,
      p_draining, v_now, v_now, p_over_http, p_app_version)
    on conflict (worker_id, tenant) do update set host = excluded.host, pid = excluded.pid,
      version = excluded.version, kinds = excluded.kinds, queues = excluded.queues, slots = excluded.slots,
      busy = excluded.busy, lag_ms = excluded.lag_ms, draining = excluded.draining,
      heartbeat_at = v_now, over_http = excluded.over_http, app_version = excluded.app_version,
      started_at = case when (p.host, p.pid) = (excluded.host, excluded.pid) then p.started_at else v_now end;
  return v_drain;
end $$;

-- Asks a worker process to claim no more jobs, finish the ones it has and exit. It learns of it with its next
-- heartbeat. The request is kept until the worker is removed, also over a crash of the server. False: it was
-- asked already. With p_tenant only the worker of that tenant is asked: another tenant's may have the same
-- name.
create or replace function holdfast.drain_worker(
  p_worker text, p_actor text default null, p_reason text default null, p_tenant text default null
) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  with requested as (
    insert into holdfast.drain_request as d (worker_id, tenant, host, pid, requested_at, requested_by, reason)
    select p.worker_id, p.tenant, p.host, p.pid, holdfast.now(), p_actor, p_reason
    from holdfast.presence p join holdfast.worker w on w.id = p.worker_id where w.name = p_worker
      and p.tenant = coalesce(p_tenant, p.tenant)
    -- A request to an earlier process of the same name does not apply to this one.
    on conflict (worker_id, tenant) do update set host = excluded.host, pid = excluded.pid,
      requested_at = excluded.requested_at, requested_by = excluded.requested_by, reason = excluded.reason
      where (d.host, d.pid) is distinct from (excluded.host, excluded.pid)
    returning d.tenant)
  insert into holdfast.event (at, tenant, type, actor, reason, data)
    select holdfast.now(), a.tenant, 'worker_drain_requested', p_actor, p_reason,
      jsonb_build_object('worker', p_worker) from requested a;
  if found then
    return true;
  end if;
  perform holdfast.refuse('unknown_worker', format('There is no worker %s.', p_worker),
    jsonb_build_object('worker', p_worker))
    where not exists (select from holdfast.presence p join holdfast.worker w on w.id = p.worker_id
      where w.name = p_worker and p.tenant = coalesce(p_tenant, p.tenant));
  return false;
end $$;

-- Removes a worker from the view `workers`. Does not close its leases, see close_lease. With p_tenant only
-- the worker of that tenant is removed: another tenant's may have the same name.
create or replace function holdfast.remove_worker(p_worker text, p_tenant text default null) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if p_tenant is not null then
    perform holdfast.check_tenant(p_tenant);
  end if;
  delete from holdfast.drain_request d using holdfast.worker w
    where w.name = p_worker and d.worker_id = any (array[w.id]) and d.tenant = coalesce(p_tenant, d.tenant);
  delete from holdfast.presence p using holdfast.worker w
    where w.name = p_worker and p.worker_id = any (array[w.id]) and p.tenant = coalesce(p_tenant, p.tenant);
  return found;
end $$;
