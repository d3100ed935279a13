-- What a lease holds beyond what its worker knows of: a claim that took effect and whose reply was lost. It is released, not charged, and
-- back in its place at once; without this it would wait until the worker dies, because the worker renews the lease all along.
--
-- p_jobs and p_attempts are the attempts the worker knows: it may still be at an earlier attempt of a job whose next one it was given without
-- knowing. A claim still on its way is protected by p_older_than, which must be longer than a claim may
-- take: what was claimed later than that is left alone. A job somebody is just ending is left to them. Jobs under leases of their own come back
-- by themselves when those end. It costs one look through `running`, which is as long as all workers together have places: an index by lease
-- would cost every claim and every finish, and a worker asks for this once a minute, or when a claim of its own has failed. None of these has begun, so none is paused, whatever the queue does with work that is interrupted.
create or replace function holdfast.keep(p_lease bigint, p_jobs bigint[], p_attempts int[], p_older_than interval default '10 seconds') returns int
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_since timestamptz := holdfast.now() - p_older_than;
  v_jobs bigint[];
  v_attempts int[];
begin
  -- Swept already, or not this caller's to touch: then what it holds is not either.
  perform from holdfast.lease l where l.id = p_lease and l.ended_at is null for key share;
  if not found then
    return 0;
  end if;
  select array_agg(t.job_id), array_agg(t.attempt) into v_jobs, v_attempts
    from (select r.job_id, r.attempt from holdfast.running r
          where r.lease = p_lease and r.claimed_at <= v_since and not exists (
            select from unnest(p_jobs, p_attempts) k (job_id, attempt) where k.job_id = r.job_id and k.attempt = r.attempt)
          for update of r skip locked) t;
  if v_jobs is null then
    return 0;
  end if;
  perform holdfast.end_attempts(v_jobs, v_attempts, array_fill(p_lease, array[cardinality(v_jobs)]),
    array_fill('released'::holdfast.outcome, array[cardinality(v_jobs)]), null,
    array_fill('{"reason": "claim reply lost", "began": false}'::jsonb, array[cardinality(v_jobs)]));
  return cardinality(v_jobs);
end $$;
