-- A worker's sign of life: who it is and how it is, for people to look at. Answers whether somebody asked it to drain.
-- Nothing depends on it but the view `workers`, so it is written at most every ten seconds, or when something worth knowing changed;
-- how late the process is changes all the time and comes along, unless it is late by more than a second, or no longer is.
-- A row that somebody has locked is not waited for: the next beat writes it.
create or replace function holdfast.beat(
  p_worker text, p_host text, p_pid int, p_version text, p_kinds text[], p_queues text[], p_tenant text, p_slots int, p_busy int, p_lag_ms int,
  p_draining boolean, p_over_http boolean default false
) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_now timestamptz := holdfast.now();
  v_worker int := holdfast.worker_id(p_worker);
  v_known holdfast.presence;
  -- Asked of this process: another one under the same name is not meant.
  v_drain boolean := exists (select from holdfast.drain_request d
    where d.worker_id = v_worker and d.tenant = p_tenant and d.host = p_host and d.pid = p_pid);
begin
  perform holdfast.check_tenant(p_tenant);
  select * into v_known from holdfast.presence p where p.worker_id = v_worker and p.tenant = p_tenant;
  if v_known.heard_at > v_now - interval '10 seconds'
    and (v_known.host, v_known.pid, v_known.version, v_known.kinds, v_known.queues, v_known.slots, v_known.busy, v_known.draining, v_known.over_http)
      = (p_host, p_pid, p_version, p_kinds, p_queues, p_slots, p_busy, p_draining, p_over_http)
    and (v_known.lag_ms > 1000) = (p_lag_ms > 1000) then
    return v_drain;
  end if;
  if v_known.heard_at is not null then
    perform from holdfast.presence p where p.worker_id = v_worker and p.tenant = p_tenant for no key update skip locked;
    if not found then
      return v_drain;
    end if;
  end if;
  insert into holdfast.presence as p (worker_id, tenant, host, pid, version, kinds, queues, slots, busy, lag_ms, draining, came_at, heard_at, over_http)
    values (v_worker, p_tenant, p_host, p_pid, p_version, p_kinds, p_queues, p_slots, p_busy, p_lag_ms, p_draining, v_now, v_now, p_over_http)
    on conflict (worker_id, tenant) do update set host = excluded.host, pid = excluded.pid, version = excluded.version, kinds = excluded.kinds,
      queues = excluded.queues, slots = excluded.slots, busy = excluded.busy, lag_ms = excluded.lag_ms, draining = excluded.draining,
      heard_at = v_now, over_http = excluded.over_http,
      came_at = case when (p.host, p.pid) = (excluded.host, excluded.pid) then p.came_at else v_now end;
  return v_drain;
end $$;
