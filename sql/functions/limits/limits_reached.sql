-- Which limits keep a queue from starting a job now, for people. A job whose lease has expired does not
-- count: a claim that finds no free capacity takes it back first.
create or replace function holdfast.limits_reached(p_queue holdfast.queue)
  returns table (code text, sentence text, data jsonb)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  with t as (
    select holdfast.now() as now),
  expired as materialized (
    select array_agg(l.id) as leases from holdfast.lease l, t
    where l.ended_at is not null or l.expires_at <= t.now and holdfast.accepting_writes_since()
      + interval '1 ms' * l.lease_ms <= t.now)
  select 'queue_full', format('The queue %s runs %s jobs; it may run %s.', p_queue.name, r.n,
    p_queue.max_running),
      jsonb_build_object('queue', p_queue.name, 'running', r.n, 'max_running', p_queue.max_running)
    from expired s cross join lateral (
      select count(*) as n from holdfast.running r
      where r.queue_id = p_queue.id and r.limited and r.lease <> all (coalesce(s.leases, '{}'))) r
    where r.n >= p_queue.max_running
  union all
  select 'tenant_full', format('The tenant %s runs %s jobs; it may run %s.', t.name, r.n, t.max_running),
      jsonb_build_object('tenant', t.name, 'running', r.n, 'max_running', t.max_running)
    from expired s cross join holdfast.tenant t cross join lateral (
      select count(*) as n from holdfast.running r
      where r.limited and r.queue_id = any (array(select q.id from holdfast.queue q
        where q.tenant = p_queue.tenant))
        and r.lease <> all (coalesce(s.leases, '{}'))) r
    where t.name = p_queue.tenant and r.n >= t.max_running
  union all
  select 'rate_reached',
    format('The queue %s has started as many jobs as its rate allows; the next may start at %s.',
    p_queue.name, n.at),
      jsonb_build_object('queue', p_queue.name, 'next_at', n.at)
    from t cross join holdfast.rate b cross join lateral (select holdfast.tokens_at(p_queue, b.tokens,
      b.filled_at, t.now) as tokens) k
    cross join lateral (
      select t.now + interval '1 ms' * ((1 - k.tokens) * p_queue.rate_period_ms / p_queue.rate_limit) as at) n
    where b.queue_id = p_queue.id and b.key = '' and p_queue.rate_limit is not null
      and not p_queue.rate_per_key
      and k.tokens + 0.000001 < 1
$$;
