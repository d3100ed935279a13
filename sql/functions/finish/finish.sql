-- Ends attempts, many at once, each with its own outcome: succeeded, failed, canceled, snoozed, released,
-- parked. A row that another transaction keeps locked fails the call after two seconds (55P03): see
-- locked_claims. accepted = false: the lease was lost, another worker has the job or it has ended, and
-- nothing was written.
create or replace function holdfast.finish(
  p_jobs bigint[], p_attempts int[], p_leases bigint[], p_outcomes text[],
    p_started_ago_ms int[] default null, p_details jsonb[] default null
) returns table (job_id bigint, attempt int, accepted boolean, state holdfast.state, due_at timestamptz)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '2s'
as $$
begin
  if 'lost' = any (p_outcomes) then
    perform holdfast.refuse('invalid_input',
      'A worker cannot report the outcome lost: only the system sets it.', '{"path": "/outcome"}');
  end if;
  return query select e.job_id, e.attempt, e.accepted, e.state, e.due_at
    from holdfast.end_attempts(p_jobs, p_attempts, p_leases, p_outcomes::holdfast.outcome[], p_started_ago_ms,
      p_details) e;
end $$;

-- Ends one attempt as the last statement of the transaction in which its handler wrote: both commit or
-- neither. Unlike finish it refuses (lease_lost) if the attempt has lost its lease, so that the transaction
-- cannot commit; also if the same call has committed before and its reply was lost, because the work of that
-- transaction is done and must not be done twice.
create or replace function holdfast.complete(
  p_job bigint, p_attempt int, p_lease bigint, p_outcome text default 'succeeded',
    p_started_ago_ms int default null, p_detail jsonb default null
) returns holdfast.state
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_state holdfast.state;
begin
  perform from holdfast.running r where r.job_id = p_job and r.attempt = p_attempt and r.lease = p_lease
    for update;
  if not found then
    perform holdfast.refuse('lease_lost',
      format('Attempt %s of job %s no longer holds its lease; nothing was written.', p_attempt, p_job),
      jsonb_build_object('job', p_job, 'attempt', p_attempt));
  end if;
  select f.state into v_state from holdfast.finish(array[p_job], array[p_attempt], array[p_lease],
    array[p_outcome], array[p_started_ago_ms],
    case when p_detail is not null then array[p_detail] end) f;
  return v_state;
end $$;

-- Those of these claims whose row another transaction has locked just now. finish gives up on such a row
-- after two seconds; its caller then asks for them, finishes all others, and sends these again later, so that
-- one open transaction delays only its own job.
create or replace function holdfast.locked_claims(p_jobs bigint[], p_attempts int[], p_leases bigint[])
  returns table (job_id bigint, attempt int)
language sql security definer
set search_path = pg_catalog, pg_temp
as $$
  with held as materialized (
    select r.job_id, r.attempt from unnest(p_jobs, p_attempts, p_leases) i (job_id, attempt, lease)
    join holdfast.running r on r.job_id = any (array[i.job_id]) and r.attempt = i.attempt
      and r.lease = i.lease),
  free as materialized (
    select r.job_id from holdfast.running r where r.job_id = any (array(select h.job_id from held h))
      for update skip locked)
  select h.job_id, h.attempt from held h where h.job_id <> all (array(select f.job_id from free f))
$$;
