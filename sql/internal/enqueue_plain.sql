-- Accepts jobs that are nothing but work to do: no key, no target, no delay, not pending. One statement, straight from the JSON
-- to `job` and `ready`; 10 us a job where the general way takes 16. The caller has seen to it that the queues exist, and has
-- numbered the jobs: the number is a job's place in the queue, and others take numbers at the same time.
create or replace function holdfast.enqueue_plain(p_jobs jsonb, p_ids bigint[], p_tenant text, p_settle boolean, p_wake boolean) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_now timestamptz := holdfast.now();
  v_plain boolean;
  v_count int;
begin
  perform holdfast.make_room(p_ids[cardinality(p_ids)], p_settle);

  with new as materialized (
    select p_ids[r.n] as id, q.id as queue_id, q.external_trigger, coalesce(r.priority, 0)::smallint as priority,
        case q.order_by when 'fifo' then 0 else 100 - coalesce(r.priority, 0) end::smallint as level, r.kind, coalesce(r.input, 'null') as input,
        r.max_retries, r.timeout_ms, r.token_limit, r.target_count, r.collection, r.created_by, r.trace, r.labels, r.parent_id,
        r.key is null and r.target is null and r.subject is null and r.run_at is null and r.delay_ms is null and r.pending is not true as plain
      from rows from (jsonb_to_recordset(p_jobs) as (queue text, kind text, input jsonb, priority smallint, max_retries int, timeout_ms int,
          token_limit bigint, target_count bigint, collection text, created_by text, trace text, labels jsonb, parent_id bigint,
          key text, target text, subject text, run_at text, delay_ms text, pending boolean)) with ordinality
        r (queue, kind, input, priority, max_retries, timeout_ms, token_limit, target_count, collection, created_by, trace, labels, parent_id,
          key, target, subject, run_at, delay_ms, pending, n)
      join holdfast.queue q on q.tenant = p_tenant and q.name = r.queue),
  recorded as (
    insert into holdfast.job (id, created_at, queue_id, priority_asked, kind, input, max_retries, timeout_ms, token_limit, target_count,
      collection, created_by, trace, labels, parent_id)
    select w.id, v_now, w.queue_id, w.priority, w.kind, w.input, w.max_retries, w.timeout_ms, w.token_limit, w.target_count, w.collection,
      w.created_by, w.trace, w.labels, w.parent_id
    from new w),
  readied as (
    insert into holdfast.ready (job_id, queue_id, attempt, interruptions, priority, failures, losses, keyed, level)
    select w.id, w.queue_id, 0, 0, w.priority, 0, 0, false, w.level from new w),
  called as (
    insert into holdfast.outbox (job_id, queue_id, created_at, trigger)
    select w.id, w.queue_id, v_now, w.external_trigger from new w where w.external_trigger is not null),
  told as (
    -- with its queue where there is only one: whoever counts need not look up the jobs
    insert into holdfast.event (at, tenant, queue_id, type, job_ids, wake)
    select v_now, p_tenant, case when min(w.queue_id) = max(w.queue_id) then min(w.queue_id) end, 'enqueued', array_agg(w.id),
      case when p_wake and not p_settle then true end
    from new w having count(*) > 0)
  select bool_and(w.plain), count(*) into v_plain, v_count from new w;

  if v_plain is not true or v_count <> cardinality(p_ids) then
    perform holdfast.refuse('internal', 'These jobs were said to be plain and are not, or their queue is missing.');
  end if;
  if p_wake and p_settle then
    perform holdfast.wake(array(select distinct q.id from jsonb_to_recordset(p_jobs) r (queue text) join holdfast.queue q on q.tenant = p_tenant and q.name = r.queue));
  end if;
end $$;
