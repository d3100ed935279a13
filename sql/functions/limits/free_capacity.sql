-- How many jobs of a limited queue may start now, at most p_want: what its own limit of running jobs, its
-- tenant's limit and its rate allow (`metered`: started jobs must be taken out of its token bucket). `at` is
-- the time it was computed for, and the claim time of what is claimed by it.
--
-- The queue's row is locked first, and running jobs are counted after, in a statement of its own: counted in
-- the same statement, two claimers saw the same old number and ran 60 against a limit of 20. A queue or
-- tenant that is locked by another claim is skipped this time (`busy`). A millionth of a token is forgiven,
-- because a double does not hold thirds.
create or replace function holdfast.free_capacity(p_queue int, p_want int, out may int, out at timestamptz,
  out per_key boolean, out metered boolean, out busy boolean)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_queue holdfast.queue;
  v_tenant_max int;
  v_ahead boolean;
begin
  may := 0;
  busy := true;
  select * into v_queue from holdfast.queue q where q.id = p_queue and q.limited
    and q.paused_at is null for no key update skip locked;
  if not found then
    return;
  end if;
  per_key := v_queue.rate_limit is not null and v_queue.rate_per_key;
  metered := v_queue.rate_limit is not null and not per_key;
  select t.max_running into v_tenant_max from holdfast.tenant t
    where t.name = v_queue.tenant and t.max_running is not null for no key update skip locked;
  if not found and exists (select from holdfast.tenant t where t.name = v_queue.tenant
    and t.max_running is not null) then
    return;
  end if;

  busy := false;
  may := p_want;
  if v_queue.max_running is not null then
    select least(may, v_queue.max_running - count(*)) into may from holdfast.running r
      where r.queue_id = p_queue and r.limited;
  end if;
  if v_tenant_max is not null and may > 0 then
    select least(may, v_tenant_max - count(*)) into may from holdfast.running r
      where r.limited and r.queue_id = any (array(select q.id from holdfast.queue q
        where q.tenant = v_queue.tenant));
  end if;
  at := holdfast.now();
  if metered and may > 0 then
    select least(may, floor(holdfast.tokens_at(v_queue, b.tokens, b.filled_at, at) + 0.000001)::int),
      b.filled_at > at into may, v_ahead
      from (select p_queue as id) k left join holdfast.rate b on b.queue_id = k.id and b.key = '';
  end if;
  if v_ahead then
    -- The clock was set back: an empty bucket would stay empty until the clock is there again.
    update holdfast.rate b set filled_at = at where b.queue_id = p_queue and b.key = '';
  end if;
  may := greatest(may, 0);
end $$;

-- Takes started jobs out of a queue's token bucket; free_capacity still holds the lock on the queue's row,
-- and p_at is its time.
create or replace function holdfast.consume_tokens(p_queue int, p_started int, p_at timestamptz) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  insert into holdfast.rate as r (queue_id, key, tokens, filled_at)
  select q.id, '', holdfast.tokens_at(q, b.tokens, b.filled_at, p_at) - p_started, p_at
  from holdfast.queue q left join holdfast.rate b on b.queue_id = q.id and b.key = ''
  where q.id = p_queue and q.rate_limit is not null and not q.rate_per_key and p_started > 0
  on conflict (queue_id, key) do update set tokens = excluded.tokens, filled_at = excluded.filled_at
$$;

-- What the token bucket of a queue holds at a time: it fills at rate_limit per period, up to the burst; one
-- never used is full. So no more than burst + rate * t are taken out of it in any time t. If the clock was
-- set back behind filled_at, no time has passed: the bucket still holds what it held, and free_capacity and
-- throttle_by_key let it fill from now on. Inlined into its callers.
create or replace function holdfast.tokens_at(p_queue holdfast.queue, p_tokens double precision,
  p_filled_at timestamptz, p_at timestamptz)
returns double precision
language sql immutable parallel safe
as $$
  select least(b.burst,
    coalesce(p_tokens + greatest(0,
    extract(epoch from p_at - p_filled_at)) * 1000 * p_queue.rate_limit / p_queue.rate_period_ms, b.burst))
  from (select coalesce(p_queue.rate_burst, p_queue.rate_limit)::double precision as burst) b
$$;
