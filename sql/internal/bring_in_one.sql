-- What bring_in_due does, for one job: its delay is over, its holder's lease has run out, or it has just arrived.
create or replace function holdfast.bring_in_one(p_job bigint) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_now timestamptz := holdfast.now();
  v_lost record;
  v_unbegun bigint[];
  v_jobs bigint[] := array[p_job];
  v_attempts int[];
begin
  -- Both rows or nothing: to hold the lease while waiting for a worker's report, which wants the lease next, is a deadlock.
  select r.attempt, r.lease, r.losses >= 2 and not r.own_lease as alone, r.started_at is not null as begun into v_lost
    from holdfast.running r join holdfast.lease l on l.id = any (array[r.lease])
    where r.job_id = p_job
      and (l.ended_at is not null or l.expires_at <= v_now and holdfast.up_since() + interval '1 ms' * l.lease_ms <= v_now)
    for update of r, l skip locked;
  if found then
    v_attempts := array[v_lost.attempt];
    -- Who is to blame is judged as in reclaim: of jobs that are tried alone, only those that had begun, where one had.
    if v_lost.alone and v_lost.begun then
      -- Once it is gone nothing shows that the others had not begun, so they go with it; a lease holds no more than its worker has places for.
      select array_agg(t.job_id), v_jobs || array_agg(t.job_id), v_attempts || array_agg(t.attempt) into v_unbegun, v_jobs, v_attempts
        from (select r.job_id, r.attempt from holdfast.running r
              where r.lease = v_lost.lease and r.losses >= 2 and r.started_at is null for update skip locked) t;
    elsif v_lost.alone and exists (
      select from holdfast.running o where o.lease = v_lost.lease and o.losses >= 2 and o.started_at is not null) then
      v_unbegun := v_jobs;
    end if;
    perform holdfast.end_attempts(v_jobs, v_attempts, array_fill(v_lost.lease, array[cardinality(v_jobs)]),
      array_fill('lost'::holdfast.outcome, array[cardinality(v_jobs)]), null,
      case when v_unbegun is not null then
        array(select case when j.id = any (v_unbegun) then jsonb '{"began": false}' end from unnest(v_jobs) with ordinality j (id, n) order by j.n) end);
    -- A worker that has lost one job of its lease has lost the lease. A lease of the job's own is gone already.
    update holdfast.lease l set ended_at = v_now where l.id = v_lost.lease and l.ended_at is null;
  end if;
  perform holdfast.promote_jobs(array(select d.job_id from holdfast.delayed d where d.job_id = p_job and d.due_at <= v_now));
  perform holdfast.place_in_lanes(array[h.queue_id], array[h.target], '{}')
    from holdfast.held h where h.job_id = p_job and h.state = 'waiting' and h.lane is null;
end $$;
