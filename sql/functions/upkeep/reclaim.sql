-- Takes jobs back from workers whose lease has expired: at most p_limit jobs, each ended by end_attempts like
-- any other.
--
-- A worker's lease is swept whole or not at all: once a sweep has taken one of its jobs it has ended
-- (ended_at), however many are left. Every later renewal and claim under it is refused, the worker stops all
-- its jobs at the next heartbeat, and later sweeps take the rest. Until one does, a job still in `running`
-- has no other owner, and a late finish or report of it is accepted.
--
-- The lease is locked before its jobs are read: a claim under it either has committed (we see its rows) or
-- waits and then finds the lease ended. Jobs that a worker is just finishing are skipped, not waited for: the
-- transaction that has the row decides. A lease is deleted when it holds nothing more, so a page full of rows
-- we may not touch never stops the sweep for good.
--
-- Losses around an outage of the database do not count: after one, a lease is left alone until its worker has
-- had its whole length to renew it. A lost job that had surely not started is not blamed (is_blameless).
--
-- With p_orphans it also takes back jobs whose lease does not exist. No verb leaves any, but a manual change
-- might; the search scans `running`, so a claim that only wants what has fallen due does without.
create or replace function holdfast.reclaim(p_limit int default 1000, p_orphans boolean default true)
  returns int
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_writable_since timestamptz := holdfast.accepting_writes_since();
  v_shared bigint[];
  v_own bigint[];
  v_owned bigint[];
  v_jobs bigint[];
  v_attempts int[];
  v_leases bigint[];
  v_unstarted bigint[];
  v_ended bigint[];
  v_poison_jobs bigint[];
  v_poison_leases bigint[];
  v_count int;
begin
  -- A caller that does not see every lease would take a job under an invisible one for an orphan.
  perform holdfast.check_sight(p_all => p_orphans);
  select array_agg(x.id) filter (where x.job_id is null), array_agg(x.id) filter (where x.job_id is not null),
      array_agg(x.job_id) filter (where x.job_id is not null),
        array_agg(x.id) filter (where x.ended_at is not null)
    into v_shared, v_own, v_owned, v_ended
    from (select l.id, l.job_id, l.ended_at from holdfast.lease l where l.expires_at <= v_now
      and v_writable_since + interval '1 ms' * l.lease_ms <= v_now
          or l.ended_at is not null limit p_limit for update skip locked) x;

  select array_agg(t.job_id), array_agg(t.attempt), array_agg(t.lease) into v_jobs, v_attempts, v_leases
    from (select r.job_id, r.attempt, r.lease from unnest(v_own, v_owned) o (lease, job_id)
          join holdfast.running r on r.job_id = any (array[o.job_id]) and r.lease = o.lease
            for update of r skip locked) t;
  if v_shared is not null then
    select v_jobs || array_agg(t.job_id), v_attempts || array_agg(t.attempt), v_leases || array_agg(t.lease),
        array_agg(t.job_id) filter (where t.is_suspected), array_agg(t.lease) filter (where t.is_suspected)
      into v_jobs, v_attempts, v_leases, v_poison_jobs, v_poison_leases
      from (select r.job_id, r.attempt, r.lease, holdfast.is_blameless(r, true) as is_suspected
            from holdfast.running r where r.lease = any (v_shared)
            limit p_limit for update skip locked) t;
  end if;
  if p_orphans then
    select v_jobs || array_agg(t.job_id), v_attempts || array_agg(t.attempt), v_leases || array_agg(t.lease)
      into v_jobs, v_attempts, v_leases
      from holdfast.orphans(p_limit) t;
  end if;

  if v_jobs is not null then
    v_count := cardinality(v_jobs);
    -- What else its lease held is read only if a suspected poison job is among them.
    if v_poison_jobs is not null then
      v_poison_leases := v_ended || array(select r.lease from holdfast.running r
        where r.lease = any (v_poison_leases) group by r.lease having count(*) > 1);
      select array_agg(r.job_id) into v_unstarted
        from holdfast.running r where r.job_id = any (v_poison_jobs) and r.lease = any (v_poison_leases);
    end if;
    perform holdfast.end_attempts(v_jobs, v_attempts, v_leases, array_fill('lost'::holdfast.outcome,
      array[v_count]), null,
      case when v_unstarted is not null then
        array(select case when j.id = any (v_unstarted) then jsonb '{"started": false}' end
          from unnest(v_jobs) with ordinality j (id, n) order by j.n) end);
  end if;
  if v_shared is not null or v_own is not null then
    delete from holdfast.lease l where l.id = any (v_own) and not exists (
      select from holdfast.running r where r.job_id = any (array[l.job_id]) and r.lease = l.id);
    -- One scan of `running` for all of them, not one for each.
    delete from holdfast.lease l where l.id = any (v_shared)
      and l.id <> all (array(select distinct r.lease from holdfast.running r where r.lease = any (v_shared)));
    update holdfast.lease l set ended_at = v_now
      where l.id = any (v_shared) and l.id = any (v_leases) and l.ended_at is null;
    -- No worker is left to notify.
    delete from holdfast.revoked v where v.lease = any (v_shared)
      and not exists (select from holdfast.lease l where l.id = v.lease);
  end if;
  return coalesce(v_count, 0);
end $$;

-- Running jobs whose lease does not exist, locked for the caller. The one search that has to read all of
-- `running`: once, against all leases at once. Looked up lease by lease it would touch three pages for each
-- running job.
create or replace function holdfast.orphans(p_limit int) returns table (job_id bigint, attempt int,
  lease bigint)
language sql
set search_path = pg_catalog, pg_temp
as $$
  select r.job_id, r.attempt, r.lease from holdfast.running r
  where not exists (select from holdfast.lease l where l.id = r.lease)
  limit p_limit for update of r skip locked
$$;
