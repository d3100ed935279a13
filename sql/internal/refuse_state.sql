-- Refuses a verb on a job that is in no state for it, naming the state; or says that there is no such job.
create or replace function holdfast.refuse_state(p_job bigint, p_verb text, p_state holdfast.state default null) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_state holdfast.state := coalesce(p_state, holdfast.state_of(p_job));
begin
  if v_state is null then
    perform holdfast.refuse('unknown_job', format('There is no job %s.', p_job), jsonb_build_object('job_id', p_job));
  end if;
  perform holdfast.refuse('wrong_state', format('Job %s is %s: it cannot %s.', p_job, v_state, replace(p_verb, '_', ' ')),
    jsonb_build_object('job_id', p_job, 'state', v_state, 'verb', p_verb));
end $$;
