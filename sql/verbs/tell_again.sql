-- Tells an external trigger once more of those of these jobs that are claimable, in p_after_ms: their message could not be used (their
-- queue is at its limit, say), or went astray. Answers which these are.
create or replace function holdfast.tell_again(p_jobs bigint[], p_after_ms int default 0) returns bigint[]
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_now timestamptz := holdfast.now();
  v_told bigint[];
begin
  with live as materialized (
    select j.id as job_id, j.queue_id, q.external_trigger from (select distinct u.id from unnest(p_jobs) u (id)) p
    join holdfast.job j on j.id = any (array[p.id]) join holdfast.queue q on q.id = any (array[j.queue_id])
    where q.external_trigger is not null and holdfast.state_of(j.id) = 'queued'),
  mine as materialized (
    select o.id, o.job_id from live l join holdfast.outbox o on o.job_id = any (array[l.job_id]) order by o.id for update of o),
  moved as (
    update holdfast.outbox o set due_at = v_now + interval '1 ms' * p_after_ms from mine m where o.id = any (array[m.id])),
  made as (
    insert into holdfast.outbox (job_id, queue_id, created_at, trigger, due_at)
    select l.job_id, l.queue_id, v_now, l.external_trigger, v_now + interval '1 ms' * p_after_ms from live l
    where not exists (select from mine m where m.job_id = l.job_id))
  select array_agg(l.job_id order by l.job_id) into v_told from live l;
  return coalesce(v_told, '{}');
end $$;
