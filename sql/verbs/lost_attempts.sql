-- Attempts whose lease ran out, by queue and minute, as roll_up has counted them in the last p_back: what a counter of them is made of.
create or replace function holdfast.lost_attempts(p_back interval default '1 hour') returns table (queue_id int, minute timestamptz, lost int)
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select x.queue_id, x.minute, x.attempts_lost from holdfast.queue_minute x where x.minute > holdfast.now() - p_back and x.attempts_lost > 0
$$;
