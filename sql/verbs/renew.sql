-- A heartbeat: renews leases and learns what the worker should know. One row update, however many jobs the lease holds.
-- A lease that comes back not alive was swept: its jobs belong to others, stop working on them. cancel: jobs somebody wants
-- stopped; revoked: jobs ended over the worker's head. A lease is never shortened; one past its time but not yet swept lives on.
-- A lease of a job's own in a queue that wants signs of work (or nothing) is heard but not extended: a live process proves
-- nothing there.
create or replace function holdfast.renew(p_leases bigint[]) returns table (lease bigint, alive boolean, expires_at timestamptz, cancel bigint[], revoked bigint[])
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query
  with renewed as (
    update holdfast.lease l set heartbeat_at = t, expires_at = case
      when l.job_id is null or (select q.renewed_by = 'beat' from holdfast.job j join holdfast.queue q on q.id = j.queue_id where j.id = l.job_id)
      then greatest(l.expires_at, t + interval '1 ms' * l.lease_ms) else l.expires_at end
    from holdfast.now() t where l.id = any (p_leases) returning l.id, l.expires_at),
  told as (
    delete from holdfast.revoked v where v.lease = any (p_leases) returning v.lease, v.job_id)
  select p.id, n.id is not null, n.expires_at,
    array(select r.job_id from holdfast.running r where r.lease = p.id and r.cancel_requested),
    array(select o.job_id from told o where o.lease = p.id)
  from unnest(p_leases) p (id) left join renewed n on n.id = p.id;
end $$;
