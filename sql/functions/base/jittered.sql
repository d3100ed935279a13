-- When a slot is fired: later by a jitter that depends only on the slot and the schedule, so every process
-- computes the same time, and schedules of one minute spread out.
create or replace function holdfast.jittered(p_slot timestamptz, p_schedule bigint, p_jitter_ms int)
  returns timestamptz
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select p_slot + interval '1 ms' * (abs(hashint8extended((extract(epoch from p_slot) * 1000)::bigint,
    p_schedule) % 1000000007) % (p_jitter_ms + 1))
$$;
