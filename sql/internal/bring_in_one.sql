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
begin
  -- Both rows or nothing: to hold the lease while waiting for a worker's report, which wants the lease next, is a deadlock.
  select r.attempt, r.lease, r.losses >= 2 and not r.own_lease as alone, r.started_at is not null as begun, l.ended_at is not null as ended into v_lost
    from holdfast.running r join holdfast.lease l on l.id = any (array[r.lease])
    where r.job_id = p_job
      and (l.ended_at is not null or l.expires_at <= v_now and holdfast.up_since() + interval '1 ms' * l.lease_ms <= v_now)
    for update of r, l skip locked;
  if found then
    -- Who is to blame is judged as in reclaim.
    perform holdfast.end_attempts(array[p_job], array[v_lost.attempt], array[v_lost.lease], array['lost'::holdfast.outcome], null,
      case when v_lost.alone and not v_lost.begun and (v_lost.ended or exists (
        select from holdfast.running o where o.lease = v_lost.lease and o.job_id <> p_job)) then array[jsonb '{"began": false}'] end);
    -- A worker that has lost one job of its lease has lost the lease. A lease of the job's own is gone already.
    update holdfast.lease l set ended_at = v_now where l.id = v_lost.lease and l.ended_at is null;
  end if;
  perform holdfast.promote_jobs(array(select d.job_id from holdfast.delayed d where d.job_id = p_job and d.due_at <= v_now));
  perform holdfast.place_in_lanes(array[h.queue_id], array[h.target], '{}')
    from holdfast.held h where h.job_id = p_job and h.state = 'waiting' and h.lane is null;
end $$;
