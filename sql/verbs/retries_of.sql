-- Those of these jobs that were made again as a new job, and the newest of those: in a strict queue a failed job stays failed, and this
-- tells whether somebody has seen to it.
create or replace function holdfast.retries_of(p_jobs bigint[]) returns table (job_id bigint, retried_as bigint)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $$
#variable_conflict use_column
begin
  return query select j.retry_of, max(j.id) from holdfast.job j where j.retry_of = any (p_jobs) group by j.retry_of;
end $$;
