-- What a list of results shows of jobs, in the order of their ids in p_jobs; no row for a job that does not
-- exist or that the caller may not see. An input is null that is larger than p_bytes_max as it is stored, or
-- than four times that as text: a page of inputs that compress well would fill the memory of a server. Each
-- job is looked up place by place: a join with the view `jobs` would read every place whole.
create or replace function holdfast.found_jobs(p_jobs bigint[], p_bytes_max int default 16384)
returns table (id bigint, queue_id int, queue text, kind text, state holdfast.state, status text,
  priority smallint, attempt int, max_retries int, key text, target text, lease_owner text,
  created_at timestamptz, visible_at timestamptz, started_at timestamptz, finished_at timestamptz,
  reason text,
  input jsonb, worker text, last_error text, error_class text, error_fingerprint text)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_retries int := holdfast.setting_number('MAX_ATTEMPTS_DEFAULT')::int - 1;
begin
  return query
    select j.id, j.queue_id, q.name, j.kind, p.state, holdfast.state_word(q.preset, p.state, p.attempt > 0),
      p.priority, p.attempt, coalesce(j.max_retries, q.max_retries, v_retries), j.key::text, j.target::text,
      w.name, j.created_at, coalesce(p.due_at, least(coalesce(j.run_at, j.created_at),
        case when p.state <> 'pending' then p.since end, p.claimed_at, p.finished_at)),
      p.started_at, p.finished_at, p.reason,
      case when pg_column_size(j.input) <= p_bytes_max
        and octet_length(j.input::text) <= 4 * p_bytes_max::bigint then j.input end,
      coalesce(w.name, (select x.name from holdfast.worker x where x.id = l.worker_id)), e.error_message,
      e.error_class, e.error_fingerprint
    from unnest(p_jobs) with ordinality i (id, n)
      join holdfast.job j on j.id = any (array[i.id])
      join holdfast.queue q on q.id = any (array[j.queue_id])
      cross join lateral (
        select a.moved_to as state, a.attempt, a.priority, null::int as worker_id, a.started_at,
          null::timestamptz as due_at, a.reason, a.finished_at, a.claimed_at, null::timestamptz as since
          from holdfast.attempt a where a.job_id = j.id and a.final
        union all
        select case when r.started_at is null then 'assigned' else 'running' end::holdfast.state, r.attempt,
          r.priority, r.worker_id, r.started_at, null, null, null, r.claimed_at, null
          from holdfast.running r where r.job_id = j.id
        union all
        select d.state::text::holdfast.state, d.attempt, d.priority, null, null, d.due_at, null, null,
            null, null from holdfast.delayed d where d.job_id = j.id
        union all
        select h.state::text::holdfast.state, h.attempt, h.priority, null, null, null, h.reason, null,
            null, h.since from holdfast.held h where h.job_id = j.id
        union all
        select 'queued', r.attempt, r.priority, null, null, null, null, null, null, r.since
          from holdfast.ready r where r.queue_id = j.queue_id and r.level = any (holdfast.all_levels())
            and r.job_id = j.id
        limit 1) p
      left join holdfast.worker w on w.id = any (array[p.worker_id])
      left join lateral (select a.worker_id from holdfast.attempt a where a.job_id = j.id
        order by a.attempt desc limit 1) l on true
      left join lateral (select a.error_message, a.error_class, a.error_fingerprint from holdfast.attempt a
        where a.job_id = j.id and a.error_message is not null order by a.attempt desc limit 1) e on true
    order by i.n;
end $$;
