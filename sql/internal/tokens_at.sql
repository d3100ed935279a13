-- What a bucket of this queue holds at a time: it fills at rate_limit per period, up to the burst; one never used is full. So never
-- more than burst + rate * t are taken out of it in any time t. Where the clock has gone back behind filled_at, no time has passed: what it
-- held then it still holds, and room_in and hold_back let it fill from now on.
create or replace function holdfast.tokens_at(p_queue holdfast.queue, p_tokens double precision, p_filled_at timestamptz, p_at timestamptz)
returns double precision
language sql immutable parallel safe
as $$
  select least(b.burst, coalesce(p_tokens + greatest(0, extract(epoch from p_at - p_filled_at)) * 1000 * p_queue.rate_limit / p_queue.rate_period_ms, b.burst))
  from (select coalesce(p_queue.rate_burst, p_queue.rate_limit)::double precision as burst) b
$$;
