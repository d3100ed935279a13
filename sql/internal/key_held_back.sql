-- Until when a job of this key has to wait where the queue's rate counts for each key; null: it may start now. What hold_back would find:
-- no token is left, or the next ones are promised to jobs that came before (p_fresh: this one was never anywhere else).
create or replace function holdfast.key_held_back(p_queue holdfast.queue, p_key text, p_fresh boolean, p_at timestamptz) returns timestamptz
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select case
      when p_fresh and b.booked_until > p_at and b.filled_at <= p_at and b.filled_at + s.step * greatest(0, 1 - b.tokens) > p_at - interval '5 s'
        then b.booked_until + s.step
      when k.tokens + 0.000001 < 1 then p_at + s.step * (1 - k.tokens) end
  from holdfast.rate b
  cross join lateral (select interval '1 ms' * (p_queue.rate_period_ms::double precision / p_queue.rate_limit) as step) s
  cross join lateral (select holdfast.tokens_at(p_queue, b.tokens, b.filled_at, p_at) as tokens) k
  where b.queue_id = p_queue.id and b.key = p_key
$$;
