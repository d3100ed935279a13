-- How many jobs of a limited queue may start now, at most p_want: what its own limit of running jobs and its tenant's leave, and
-- what its rate allows (`metered`: what is started has to be taken out of its bucket). `at` is the time it was counted for, and the start of what is claimed by it.
--
-- The queue's row is locked first and what runs is counted after, in a statement of its own: counted in the same statement, two
-- claimers saw the same old number and ran 60 against a limit of 20. Whoever finds the queue or its tenant taken leaves it out this
-- time (`busy`). A millionth of a token is forgiven, because a double does not hold thirds.
create or replace function holdfast.room_in(p_queue int, p_want int, out may int, out at timestamptz, out per_key boolean, out metered boolean, out busy boolean)
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_queue holdfast.queue;
  v_tenant_max int;
  v_ahead boolean;
begin
  may := 0;
  busy := true;
  select * into v_queue from holdfast.queue q where q.id = p_queue and q.limited and q.paused_at is null for no key update skip locked;
  if not found then
    return;
  end if;
  per_key := v_queue.rate_limit is not null and v_queue.rate_per_key;
  metered := v_queue.rate_limit is not null and not per_key;
  select t.max_running into v_tenant_max from holdfast.tenant t
    where t.name = v_queue.tenant and t.max_running is not null for no key update skip locked;
  if not found and exists (select from holdfast.tenant t where t.name = v_queue.tenant and t.max_running is not null) then
    return;
  end if;

  busy := false;
  may := p_want;
  if v_queue.max_running is not null then
    select least(may, v_queue.max_running - count(*)) into may from holdfast.running r where r.queue_id = p_queue and r.limited;
  end if;
  if v_tenant_max is not null and may > 0 then
    select least(may, v_tenant_max - count(*)) into may from holdfast.running r
      where r.limited and r.queue_id = any (array(select q.id from holdfast.queue q where q.tenant = v_queue.tenant));
  end if;
  at := holdfast.now();
  if metered and may > 0 then
    select least(may, floor(holdfast.tokens_at(v_queue, b.tokens, b.filled_at, at) + 0.000001)::int), b.filled_at > at into may, v_ahead
      from (select p_queue as id) k left join holdfast.rate b on b.queue_id = k.id and b.key = '';
  end if;
  if v_ahead then
    -- The clock went back: an empty bucket would stay empty until the clock is there again.
    update holdfast.rate b set filled_at = at where b.queue_id = p_queue and b.key = '';
  end if;
  may := greatest(may, 0);
end $$;
