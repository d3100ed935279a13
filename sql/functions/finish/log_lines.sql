-- Shows what running jobs have logged, while they run: an event `logged` for each, which the stream delivers
-- and the events of the job keep, as long as events are kept. The log that stays with the attempt comes with
-- its end. A job that is no longer held under its lease is left out. Returns how many were recorded.
create or replace function holdfast.log_lines(p_jobs bigint[], p_attempts int[], p_leases bigint[],
  p_texts text[]) returns int
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_count int;
begin
  insert into holdfast.event (at, tenant, type, job_id, queue_id, data)
    select holdfast.now(), q.tenant, 'logged', r.job_id, r.queue_id,
      jsonb_build_object('attempt', r.attempt, 'text', right(l.text, 4096))
    from unnest(p_jobs, p_attempts, p_leases, p_texts) l (job_id, attempt, lease, text)
      join holdfast.running r on r.job_id = any (array[l.job_id]) and r.attempt = l.attempt
        and r.lease = l.lease
      join holdfast.queue q on q.id = any (array[r.queue_id]);
  get diagnostics v_count = row_count;
  return v_count;
end $$;
