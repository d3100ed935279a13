-- What facets count of jobs: state, queue, kind, the last error, and the version of the worker that runs the
-- job or ran its last attempt. No row for a job that does not exist or that the caller may not see.
create or replace function holdfast.facets_of(p_jobs bigint[])
returns table (job_id bigint, state text, queue text, kind text, error_fingerprint text, error_message text,
  version text)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select j.id, p.state, q.name, j.kind, e.error_fingerprint, e.error_message, v.version
    from unnest(p_jobs) i (id)
      join holdfast.job j on j.id = any (array[i.id])
      join holdfast.queue q on q.id = any (array[j.queue_id])
      cross join lateral (
        select a.moved_to::text as state, null::int as worker_id, null::timestamptz as claimed_at
          from holdfast.attempt a where a.job_id = j.id and a.final
        union all
        select case when r.started_at is null then 'assigned' else 'running' end, r.worker_id, r.claimed_at
          from holdfast.running r where r.job_id = j.id
        union all
        select d.state::text, null, null from holdfast.delayed d where d.job_id = j.id
        union all
        select h.state::text, null, null from holdfast.held h where h.job_id = j.id
        union all
        select 'queued', null, null from holdfast.ready r where r.queue_id = j.queue_id
          and r.level = any (holdfast.all_levels()) and r.job_id = j.id
        limit 1) p
      left join lateral (select a.error_fingerprint, a.error_message from holdfast.attempt a
        where a.job_id = j.id and a.error_message is not null order by a.attempt desc limit 1) e on true
      left join lateral (select a.worker_id, a.claimed_at from holdfast.attempt a where a.job_id = j.id
        and a.worker_id is not null order by a.attempt desc limit 1) l on true
      -- as version_at has it
      left join lateral (select x.version from holdfast.worker_version x where x.tenant = q.tenant
        and x.worker_id = coalesce(p.worker_id, l.worker_id)
        and x.since <= coalesce(p.claimed_at, l.claimed_at) + interval '10 seconds'
        order by x.since desc limit 1) v on true;
end $$;
