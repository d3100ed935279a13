-- Ends a call that wants all of its jobs or none (p_all), when the key of one is taken in a queue that rejects that; and, as if it had waited
-- for the lock itself, when another transaction still holds a key: nothing is made.
create or replace function holdfast.check_keys(p_rows holdfast.new_job[], p_all boolean) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_taken record;
begin
  if exists (select from unnest(p_rows) r where r.taken_by = 0) then
    raise exception using errcode = 'lock_not_available', message = 'A transaction that has not ended holds a key of this call.';
  end if;
  select a.n, a.job_id into v_taken from holdfast.enqueue_answer(p_rows) a where p_all and a.status = 'rejected' order by a.n limit 1;
  if found then
    perform holdfast.refuse('key_taken', format('Job %s has the key of the job at /jobs/%s and has not ended.', v_taken.job_id, v_taken.n - 1),
      jsonb_build_object('job_id', v_taken.job_id, 'path', format('/jobs/%s/key', v_taken.n - 1)));
  end if;
end $$;
