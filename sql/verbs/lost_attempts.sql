-- Attempts whose lease ran out, by queue and minute, as roll_up has counted them since p_since: what a counter of them is made of.
create or replace function holdfast.lost_attempts(p_since timestamptz) returns table (queue_id int, minute timestamptz, lost int)
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select x.queue_id, x.minute, x.attempts_lost from holdfast.queue_minute x where x.minute >= p_since and x.attempts_lost > 0
$$;
