-- Enqueues a job for each subject that has not succeeded for too long: p_stale, or its own stale_after_ms. At
-- most p_limit of them, the longest stale first; a subject is enqueued once per p_every however many nodes
-- call this, and not while a job of it is live. One that never succeeded counts from when it was added.
create or replace function holdfast.enqueue_stale_subjects(p_stale interval default '30 days',
  p_every interval default '6 hours', p_limit int default 1000) returns int
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_shortest interval;
  v_tenant text;
  v_jobs jsonb;
  v_enqueued int := 0;
begin
  perform holdfast.check_sight(p_all => true);
  select least(p_stale, interval '1 ms' * min(s.stale_after_ms)) into v_shortest from holdfast.subject s
    where s.enabled and s.stale_after_ms is not null;
  for v_tenant, v_jobs in
    with due as materialized (
      select s.id from holdfast.subject s join holdfast.queue q on q.id = any (array[s.queue_id])
      where s.enabled and coalesce(s.last_success_at, s.added_at) <= v_now - v_shortest
        and coalesce(s.last_success_at, s.added_at) <= v_now - coalesce(interval '1 ms' * s.stale_after_ms,
          p_stale)
        and coalesce(s.enqueued_at, '-infinity') <= v_now - p_every
        and not exists (select from holdfast.dedup d where d.queue_id = any (array[s.queue_id])
          and d.key = s.name)
      order by coalesce(s.last_success_at, s.added_at) limit p_limit for update of s skip locked),
    updated as (
      update holdfast.subject s set enqueued_at = v_now from due d where s.id = any (array[d.id])
      returning s.*)
    select q.tenant, jsonb_agg(jsonb_build_object('queue', q.name, 'kind', a.kind, 'input', a.input, 'key',
      a.name, 'subject', a.name, 'priority', a.priority, 'created_by', 'holdfast: stale'))
    from updated a join holdfast.queue q on q.id = any (array[a.queue_id]) group by q.tenant order by q.tenant
  loop
    perform from holdfast.enqueue_many(coalesce(holdfast.with_kinds(v_jobs, v_tenant), v_jobs), v_tenant,
      p_settle => true, p_by_kind => false);
    v_enqueued := v_enqueued + jsonb_array_length(v_jobs);
  end loop;
  return v_enqueued;
end $$;
