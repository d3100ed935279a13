-- A heartbeat: renews leases and returns what the worker must know. One row update, however many jobs the
-- lease holds.
--
-- alive = false: the lease was closed, or a sweep has ended it; stop all its jobs. cancel: attempts that were
-- asked to stop. revoked: attempts that an operator ended; each is returned until p_seen_jobs and
-- p_seen_attempts of a later renewal name it, so a lost reply loses nothing. Both are lists of {"job_id",
-- "attempt"}: a job may have come back to the same worker as another attempt.
--
-- A lease is never shortened; one past its time lives on unless a sweep has taken jobs from it. The lease of
-- a single job, in a queue that wants progress reports (or nothing) to renew it, records the heartbeat but is
-- not extended: a live process proves nothing there. Such a lease may be locked by the open transaction that
-- completes its job: it is returned unchanged, because waiting for it would cost the worker its other leases.
create or replace function holdfast.renew(p_leases bigint[], p_seen_jobs bigint[] default null,
  p_seen_attempts int[] default null)
returns table (lease bigint, alive boolean, expires_at timestamptz, cancel jsonb, revoked jsonb)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  if p_seen_jobs is not null then
    delete from holdfast.revoked v using (
        select r.ctid as tid from unnest(p_seen_jobs, p_seen_attempts) s (job_id, attempt)
        join holdfast.revoked r on r.lease = any (p_leases) and r.job_id = s.job_id and r.attempt = s.attempt
          for update of r skip locked) g
      where v.ctid = g.tid;
  end if;
  return query
  with shared as (
    update holdfast.lease l set heartbeat_at = t, expires_at = greatest(l.expires_at,
      t + interval '1 ms' * l.lease_ms)
    from holdfast.now() t where l.id = any (p_leases) and l.job_id is null and l.ended_at is null
      returning l.id, l.expires_at),
  free as materialized (
    select l.id from holdfast.lease l where l.id = any (p_leases)
      and l.job_id is not null for no key update skip locked),
  single as (
    update holdfast.lease l set heartbeat_at = t, expires_at = case
      when (select q.renewed_by = 'heartbeat' from holdfast.job j join holdfast.queue q on q.id = j.queue_id
        where j.id = l.job_id)
      then greatest(l.expires_at, t + interval '1 ms' * l.lease_ms) else l.expires_at end
    from holdfast.now() t, free f where l.id = any (array[f.id]) returning l.id, l.expires_at),
  renewed as (
    select s.id, s.expires_at from shared s union all select o.id, o.expires_at from single o
    union all
    select l.id, l.expires_at from holdfast.lease l
    where l.id = any (p_leases) and l.job_id is not null and not exists (select from free f
      where f.id = l.id))
  select p.id, n.id is not null, n.expires_at,
    (select coalesce(jsonb_agg(jsonb_build_object('job_id', r.job_id, 'attempt', r.attempt)), '[]')
     from holdfast.running r where r.lease = p.id and r.cancel_requested),
    (select coalesce(jsonb_agg(jsonb_build_object('job_id', v.job_id, 'attempt', v.attempt)), '[]')
      from holdfast.revoked v where v.lease = p.id)
  from unnest(p_leases) p (id) left join renewed n on n.id = p.id;
end $$;
