-- A worker says good-bye: it is no longer shown. Its leases are another matter, see close_lease.
create or replace function holdfast.leave(p_worker text) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
as $$
begin
  delete from holdfast.drain_request d using holdfast.worker w where w.name = p_worker and d.worker_id = any (array[w.id]);
  delete from holdfast.presence p using holdfast.worker w where w.name = p_worker and p.worker_id = any (array[w.id]);
  return found;
end $$;
