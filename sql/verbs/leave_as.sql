-- leave, of one tenant: a worker of the same name that works for another stays.
create or replace function holdfast.leave_as(p_tenant text, p_worker text) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
as $$
begin
  perform holdfast.check_tenant(p_tenant);
  delete from holdfast.drain_request d using holdfast.worker w where w.name = p_worker and d.worker_id = any (array[w.id]) and d.tenant = p_tenant;
  delete from holdfast.presence p using holdfast.worker w
    where w.name = p_worker and p.worker_id = any (array[w.id]) and p.tenant = p_tenant;
  return found;
end $$;
