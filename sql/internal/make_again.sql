-- A new job like an ended one, for queues where an end is an end.
create or replace function holdfast.make_again(p_job holdfast.job, p_actor text, out id bigint, out state holdfast.state)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_made record;
begin
  select e.job_id, e.status into v_made
    from holdfast.queue q
    cross join lateral holdfast.enqueue_many(jsonb_build_array(to_jsonb(p_job) - 'id' - 'run_at' || jsonb_build_object(
      'queue', q.name, 'priority', p_job.priority_asked, 'retry_of', p_job.id, 'created_by', p_actor)), q.tenant, p_by_kind => false) e
    where q.id = p_job.queue_id;
  if v_made.status <> 'created' then
    perform holdfast.refuse('key_taken', format('Another live job has the key of job %s.', p_job.id), jsonb_build_object('job_id', p_job.id, 'key', p_job.key));
  end if;
  id := v_made.job_id;
  state := holdfast.state_of(id);
end $$;
