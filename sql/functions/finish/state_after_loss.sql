-- The state a running job would move to if its lease, which has expired, were swept now. Null while the lease
-- holds, and if the lease does not exist at all: only upkeep takes such a job back. A property test compares
-- it with what claims do.
create or replace function holdfast.state_after_loss(p_job bigint, p_now timestamptz) returns holdfast.state
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select holdfast.next_state('lost', r.cancel_requested,
        not (r.started_at is null and r.unstarted or holdfast.is_blameless(r, l.ended_at is not null
          or exists (select from holdfast.running o where o.lease = r.lease and o.job_id <> r.job_id))),
        r.losses, r.failures, coalesce((select j.max_retries from holdfast.job j where j.id = r.job_id),
          q.max_retries, holdfast.setting_number('MAX_ATTEMPTS_DEFAULT')::int - 1), q)
    from holdfast.running r join holdfast.lease l on l.id = any (array[r.lease])
      join holdfast.queue q on q.id = any (array[r.queue_id])
    where r.job_id = p_job
      and (l.ended_at is not null or l.expires_at <= p_now and holdfast.accepting_writes_since()
        + interval '1 ms' * l.lease_ms <= p_now));
end $$;
