-- What becomes of a running job once its lease, which has run out, is swept: the decision of end_attempts for `lost`, told beforehand. Null
-- while the lease stands, and where there is none at all: only upkeep takes such a job back. A property test holds the two together.
create or replace function holdfast.lost_becomes(p_job bigint, p_now timestamptz) returns holdfast.state
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select case
        when r.cancel_requested then case q.on_cancel when 'pause' then 'paused' else 'canceled' end
        when q.on_lease_lost = 'error' then 'errored'
        when r.losses + 1 < coalesce(q.crash_budget, 32767) then 'queued'
        -- another that is tried alone had begun under this lease, so this one had not: see reclaim
        when r.losses >= 2 and r.started_at is null and not r.own_lease and exists (
          select from holdfast.running o where o.lease = r.lease and o.losses >= 2 and o.started_at is not null) then 'queued'
        when q.on_error = 'block' then 'errored'
        else 'failed' end::holdfast.state
    from holdfast.running r join holdfast.lease l on l.id = any (array[r.lease]) join holdfast.queue q on q.id = any (array[r.queue_id])
    where r.job_id = p_job
      and (l.ended_at is not null or l.expires_at <= p_now and holdfast.up_since() + interval '1 ms' * l.lease_ms <= p_now));
end $$;
