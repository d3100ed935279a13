-- Ends one attempt as the last word of a transaction that also carries what the job did: both happen or neither. Unlike finish it refuses
-- (lease_lost) instead of answering when the attempt is not this caller's any more, so that the transaction cannot commit; also when
-- the same was said before and its reply was lost, because the work of that transaction is done and must not be done twice.
create or replace function holdfast.complete(
  p_job bigint, p_attempt int, p_lease bigint, p_outcome text default 'succeeded', p_started_ago_ms int default null, p_detail jsonb default null
) returns holdfast.state
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_state holdfast.state;
begin
  perform from holdfast.running r where r.job_id = p_job and r.attempt = p_attempt and r.lease = p_lease for update;
  if not found then
    perform holdfast.refuse('lease_lost', format('Attempt %s of job %s no longer holds its lease; nothing was written.', p_attempt, p_job),
      jsonb_build_object('job', p_job, 'attempt', p_attempt));
  end if;
  select f.state into v_state from holdfast.finish(array[p_job], array[p_attempt], array[p_lease], array[p_outcome], array[p_started_ago_ms],
    case when p_detail is not null then array[p_detail] end) f;
  return v_state;
end $$;
