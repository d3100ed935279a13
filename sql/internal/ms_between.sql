-- Whole milliseconds from one time to another; 0 where the clock was set back in between.
create or replace function holdfast.ms_between(p_from timestamptz, p_to timestamptz) returns bigint
language sql immutable parallel safe
as $$ select greatest(0, extract(epoch from p_to - p_from) * 1000)::bigint $$;
