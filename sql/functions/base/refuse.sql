-- Refuses a call. The message is for people, the code in the detail for programs; SQLSTATE HF000 marks both
-- as ours.
create or replace function holdfast.refuse(p_code text, p_message text, p_detail jsonb default '{}')
  returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  raise exception using errcode = 'HF000', message = p_message,
    detail = jsonb_build_object('code', p_code) || coalesce(p_detail, '{}');
end $$;

-- Refuses a verb on a job whose state does not allow it, naming the state; refuses with unknown_job if the
-- job does not exist.
create or replace function holdfast.refuse_state(p_job bigint, p_verb text,
  p_state holdfast.state default null) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_state holdfast.state := coalesce(p_state, holdfast.state_of(p_job));
begin
  if v_state is null then
    perform holdfast.refuse('unknown_job', format('There is no job %s.', p_job), jsonb_build_object('job_id',
      p_job));
  end if;
  perform holdfast.refuse('wrong_state', format('Job %s is %s: it cannot %s.', p_job, v_state,
    replace(p_verb, '_', ' ')),
    jsonb_build_object('job_id', p_job, 'state', v_state, 'verb', p_verb));
end $$;
