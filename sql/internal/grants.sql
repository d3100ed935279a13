-- How many jobs each limited queue among p_queues may start now: what its own limit of running jobs and its tenant's leave, and
-- what its rate allows.
--
-- The queue's row is locked first and what runs is counted after, in a statement of its own: counted in the same statement, two
-- claimers saw the same old number and ran 60 against a limit of 20. Whoever finds the queue taken leaves it out this time. Queues
-- without limits are not in the index this reads, so they pay nothing.
create or replace function holdfast.grants(p_queues int[], p_share int) returns table (queue_id int, may int)
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_now timestamptz := holdfast.now();
  v_queue record;
  v_tenant record;
  v_may int;
  -- several queues of one tenant share what it may run
  v_left jsonb := '{}';
begin
  for v_queue in
    select q.id, q.tenant, q.max_running, q.rate_limit, q.rate_period_ms, coalesce(q.rate_burst, q.rate_limit) as burst
    from holdfast.queue q where q.id = any (p_queues) and q.limited and q.paused_at is null
    order by q.id for no key update skip locked
  loop
    v_may := p_share;
    if v_queue.max_running is not null then
      select least(v_may, v_queue.max_running - count(*)) into v_may from holdfast.running r where r.queue_id = v_queue.id and r.limited;
    end if;
    select t.name, t.max_running into v_tenant from holdfast.tenant t
      where t.name = v_queue.tenant and t.max_running is not null for no key update skip locked;
    if found then
      if not v_left ? v_tenant.name then
        v_left := v_left || jsonb_build_object(v_tenant.name, v_tenant.max_running - (
          select count(*) from holdfast.running r where r.limited and r.queue_id = any (array(
            select q.id from holdfast.queue q where q.tenant = v_tenant.name))));
      end if;
      v_may := least(v_may, (v_left ->> v_tenant.name)::int);
    elsif exists (select from holdfast.tenant t where t.name = v_queue.tenant and t.max_running is not null) then
      continue;
    end if;
    if v_queue.rate_limit is not null and v_may > 0 then
      -- A bucket that fills at rate_limit per period up to the burst: never more than burst + rate * t starts in any time t.
      insert into holdfast.rate as b (queue_id, tokens, filled_at) values (v_queue.id, v_queue.burst, v_now)
        on conflict (queue_id) do update set filled_at = v_now, tokens = least(v_queue.burst,
          b.tokens + extract(epoch from v_now - b.filled_at) * 1000 * v_queue.rate_limit / v_queue.rate_period_ms)
        returning least(v_may, floor(b.tokens)::int) into v_may;
    end if;
    if v_may > 0 then
      v_left := case when v_left ? v_queue.tenant
        then v_left || jsonb_build_object(v_queue.tenant, (v_left ->> v_queue.tenant)::int - v_may) else v_left end;
      queue_id := v_queue.id;
      may := v_may;
      return next;
    end if;
  end loop;
end $$;
