-- Comparing the dead letters of a trigger with the failed jobs of its queues.

-- Gives one of many relays the turn to compare dead letters with jobs: 0 when it is the caller's, for
-- p_next_ms; otherwise in how many milliseconds to ask again. With p_force the caller has the turn already,
-- or takes it in any case, and p_next_ms is when the next one may begin.
create or replace function holdfast.claim_reconcile_turn(p_tenant text, p_trigger text, p_next_ms bigint,
  p_force boolean default false) returns bigint
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
begin
  perform holdfast.check_tenant(p_tenant);
  insert into holdfast.reconcile_turn as t (tenant, trigger, next_at)
    -- no turn where no queue has the trigger
    select p_tenant, p_trigger, v_now + interval '1 ms' * p_next_ms
    where exists (select from holdfast.queue q where q.tenant = p_tenant and q.external_trigger = p_trigger)
    on conflict (tenant, trigger) do update set next_at = excluded.next_at
      where p_force or t.next_at <= v_now;
  if found then
    return 0;
  end if;
  return coalesce((select greatest(1, ceil(extract(epoch from t.next_at - v_now) * 1000))
    from holdfast.reconcile_turn t where t.tenant = p_tenant and t.trigger = p_trigger), p_next_ms);
end $$;

-- Which of these jobs failed for good at least p_for_ms ago, were not retried, and have no unsent row in the
-- outbox: if such a job has no dead letter, it will not get one by itself.
create or replace function holdfast.failed_without_dead_letter(p_jobs bigint[], p_for_ms bigint default 0)
returns bigint[]
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  return array(
    select p.id from (select distinct u.id from unnest(p_jobs) u (id)) p
      join holdfast.attempt a on a.job_id = any (array[p.id]) and a.final
    where a.moved_to = 'failed' and a.finished_at <= holdfast.now() - interval '1 ms' * p_for_ms
      and not exists (select from holdfast.outbox o where o.job_id = p.id and o.sends = 0)
      -- one subquery for all of them, because it searches every range of history
      and p.id <> all (array(select j.retry_of from holdfast.job j where j.retry_of = any (p_jobs)))
    order by p.id);
end $$;
