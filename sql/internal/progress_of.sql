-- What earlier attempts of a job reported, for the worker that goes on with it.
create or replace function holdfast.progress_of(p_job bigint) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select jsonb_build_object('cursor', p.cursor, 'progress', p.progress, 'progress_count', p.progress_count, 'result_count', p.result_count,
    'tokens_used', p.tokens_used, 'last_progress_at', p.last_progress_at)
  from holdfast.progress p where p.job_id = p_job
$$;
