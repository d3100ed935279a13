-- Accepts one job, from any SQL: select holdfast.enqueue('emails', 'welcome', '{"to": 7}', '{"priority": 50}').
-- Returns the job's id; where a live job has the same key already, that one's.
create or replace function holdfast.enqueue(p_queue text, p_kind text, p_input jsonb default '{}', p_options jsonb default '{}',
  p_tenant text default 'default') returns bigint
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_made record;
begin
  select e.job_id, e.status into v_made
    from holdfast.enqueue_many(jsonb_build_array(p_options || jsonb_build_object('queue', p_queue, 'kind', p_kind, 'input', p_input)), p_tenant) e;
  if v_made.status = 'rejected' then
    perform holdfast.refuse('key_taken', format('The job %s has this key and has not ended.', v_made.job_id), jsonb_build_object('job_id', v_made.job_id));
  end if;
  return v_made.job_id;
end $$;
