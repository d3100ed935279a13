-- The history of a job as one document: what it was, each attempt with its times and outcome, what operators
-- did to it. Volatile, although it only reads: a stable function would use the snapshot its caller took
-- before it waited for a prune, and would not find a job whose row the prune has copied. plpgsql keeps its
-- plan; before Postgres 18 a SQL function is planned at every call, which opens every range of history.
create or replace function holdfast.job_history(p_job bigint) returns jsonb
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select jsonb_build_object(
      'job_id', j.id, 'tenant', q.tenant, 'queue', q.name, 'kind', j.kind, 'key', j.key, 'target', j.target,
      'input', j.input, 'created_at', j.created_at, 'created_by', coalesce(j.created_by, 'system'), 'state',
      v.state, 'status', v.status, 'retry_of', j.retry_of, 'progress', holdfast.progress_of(j.id),
      'attempts', coalesce((
        select jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
          'attempt', a.attempt, 'worker', w.name, 'lease', a.lease, 'claimed_at', a.claimed_at, 'started_at',
          a.started_at, 'finished_at', a.finished_at, 'outcome', a.outcome, 'moved_to', a.moved_to,
          'reason', a.reason, 'waited_ms', case when a.claimed_at is not null then greatest(0,
            floor(extract(epoch from a.claimed_at - greatest(j.created_at, j.run_at)) * 1000)) end,
          'ran_ms', case when a.claimed_at is not null and a.finished_at is not null then greatest(0,
            floor(extract(epoch from a.finished_at - coalesce(a.started_at, a.claimed_at)) * 1000)) end,
          'result', a.result, 'log', a.log_excerpt,
          'error', case when a.error_message is not null
            or a.error_class is not null then jsonb_build_object('class', a.error_class,
            'message', a.error_message, 'fingerprint', a.error_fingerprint) end)) order by a.attempt)
        from holdfast.attempt a left join holdfast.worker w on w.id = any (array[a.worker_id])
          where a.job_id = j.id), '[]'),
      'events', coalesce((
        -- A claim reads the clock before it sees the job, and clocks are set back: the steps of a job keep
        -- their order whatever the clock was.
        select jsonb_agg(s.step order by s.at, s.turn) from (
          select max(o.at) over (order by o.turn) as at, o.turn, o.step from (
            select j.created_at as at, 0 as turn, jsonb_build_object('at', j.created_at, 'type', 'enqueued',
              'actor', coalesce(j.created_by, 'system')) as step
            union all
            select c.at, c.turn,
              jsonb_strip_nulls(jsonb_build_object('at', c.at, 'type', c.type, 'attempt', a.attempt, 'actor',
              w.name, 'reason', c.reason))
            from holdfast.attempt a left join holdfast.worker w on w.id = any (array[a.worker_id])
            cross join lateral (values (a.claimed_at, a.attempt * 4, 'claimed', null),
              (a.started_at, a.attempt * 4 + 1, 'started', null),
              (a.finished_at, a.attempt * 4 + 2, a.moved_to::text, a.reason)) c (at, turn, type, reason)
            where a.job_id = j.id and c.at is not null
            union all
            select c.at, c.turn, jsonb_build_object('at', c.at, 'type', c.type, 'attempt', r.attempt, 'actor',
              w.name)
            from holdfast.running r join holdfast.worker w on w.id = any (array[r.worker_id])
            cross join lateral (values (r.claimed_at, r.attempt * 4, 'claimed'),
              (r.started_at, r.attempt * 4 + 1, 'started')) c (at, turn, type)
            where r.job_id = j.id and c.at is not null) o
          union all
          select e.at, 1 << 30,
            jsonb_strip_nulls(jsonb_build_object('at', e.at, 'type', e.type, 'actor', e.actor, 'reason',
            e.reason, 'data', e.data))
          from holdfast.event e where e.job_id = j.id) s), '[]'))
    from holdfast.job j join holdfast.queue q on q.id = any (array[j.queue_id])
      left join lateral (select x.state, x.status from holdfast.jobs x
        where x.id = j.id and x.queue_id = j.queue_id) v on true
    where j.id = p_job);
end $$;
