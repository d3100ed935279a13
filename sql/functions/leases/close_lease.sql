-- Ends a worker's lease at once. p_started are those of its jobs that its worker has started: the others are
-- released, neither charged nor paused, not even one of a claim whose reply was lost. Null: the database's
-- own record counts.
--
-- What had started depends on the reason. At a `shutdown` it is released, not charged, or paused where the
-- queue pauses interrupted jobs. For any other reason it is lost, as when a sweep takes it, and the attempt
-- row has that reason. A worker that could not renew its lease stops its handlers and gives `lease given up`.
-- Right after an outage of the database a loss is not counted, as in reclaim: what had started is released,
-- unless its queue makes an error of every lost lease.
create or replace function holdfast.close_lease(p_lease bigint, p_reason text default 'shutdown',
  p_started bigint[] default null) returns int
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_reason text := coalesce(p_reason, 'shutdown');
  v_after_outage boolean;
  v_jobs bigint[];
  v_attempts int[];
  v_outcomes holdfast.outcome[];
  v_details jsonb[];
begin
  -- Jobs before the lease, in the order in which a report locks them: the other way round the two would
  -- deadlock. The lock on the lease keeps out further claims, and the jobs are read again for what a claim
  -- took meanwhile.
  perform from holdfast.running r where r.lease = p_lease order by r.job_id for update;
  select holdfast.accepting_writes_since() + interval '1 ms' * l.lease_ms > holdfast.now()
    into v_after_outage from holdfast.lease l where l.id = p_lease for update;
  -- Not found: swept already, or not visible to this caller, and then neither are its jobs.
  if found then
    select array_agg(r.job_id), array_agg(r.attempt),
        array_agg(case when e.lost then 'lost' else 'released' end::holdfast.outcome),
        array_agg(jsonb_build_object('reason', v_reason)
          || case when e.lost or b.started and v_reason = 'shutdown' then '{}'
            else jsonb '{"started": false}' end)
      into v_jobs, v_attempts, v_outcomes, v_details
      from holdfast.running r
      join holdfast.queue q on q.id = any (array[r.queue_id])
      cross join lateral (select (p_started is null or r.job_id = any (p_started))
        and (not r.unstarted or r.started_at is not null) as started) b
      cross join lateral (select b.started and v_reason <> 'shutdown'
        and (q.on_lease_lost = 'error' or not v_after_outage) as lost) e
      where r.lease = p_lease;
  end if;
  if v_jobs is not null then
    perform holdfast.end_attempts(v_jobs, v_attempts, array_fill(p_lease, array[cardinality(v_jobs)]),
      v_outcomes, null, v_details);
  end if;
  delete from holdfast.lease l where l.id = p_lease;
  delete from holdfast.revoked v where v.lease = p_lease;
  return coalesce(cardinality(v_jobs), 0);
end $$;

-- Releases what a lease holds beyond what its worker knows of: a claim that took effect and whose reply was
-- lost. Its jobs are not charged and return to their place at once; without this they would wait until the
-- worker dies, because the worker renews the lease all along.
--
-- p_jobs and p_attempts are the attempts the worker knows: it may still run an earlier attempt of a job whose
-- next one it was given without knowing. p_older_than protects a claim whose reply is still on its way, and
-- must be longer than a claim may take. A job that another transaction is just ending is skipped. Jobs under
-- leases of their own come back by themselves when those end. It costs one scan of `running`, which is as
-- long as all workers together have slots: an index by lease would cost every claim and every finish, and a
-- worker calls this once a minute, or when a claim of its own has failed. None of these jobs has started, so
-- none is paused, whatever the queue does with interrupted jobs.
create or replace function holdfast.release_unlisted(p_lease bigint, p_jobs bigint[], p_attempts int[],
  p_older_than interval default '10 seconds') returns int
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_since timestamptz := holdfast.now() - p_older_than;
  v_jobs bigint[];
  v_attempts int[];
begin
  -- Not found: swept already, or not visible to this caller, and then neither are its jobs.
  perform from holdfast.lease l where l.id = p_lease and l.ended_at is null for key share;
  if not found then
    return 0;
  end if;
  select array_agg(t.job_id), array_agg(t.attempt) into v_jobs, v_attempts
    from (select r.job_id, r.attempt from holdfast.running r
          where r.lease = p_lease and r.claimed_at <= v_since and not exists (
            select from unnest(p_jobs, p_attempts) k (job_id, attempt) where k.job_id = r.job_id
              and k.attempt = r.attempt)
          for update of r skip locked) t;
  if v_jobs is null then
    return 0;
  end if;
  perform holdfast.end_attempts(v_jobs, v_attempts, array_fill(p_lease, array[cardinality(v_jobs)]),
    array_fill('released'::holdfast.outcome, array[cardinality(v_jobs)]), null,
    array_fill('{"reason": "claim reply lost", "started": false}'::jsonb, array[cardinality(v_jobs)]));
  return cardinality(v_jobs);
end $$;
