-- How long a failed job waits: n = its earlier failures, so the first retry waits the base. Jitter comes after the cap.
-- The exponent is clamped where any cap is long reached: power() would overflow (e^600 is still a double).
create or replace function holdfast.backoff_ms(
  p_failures int, p_base_ms bigint, p_factor double precision, p_cap_ms bigint,
  p_jitter_low double precision, p_jitter_high double precision, p_random double precision
) returns bigint
language sql immutable parallel safe
as $$
  select greatest(0, floor(
    least(p_cap_ms::double precision, p_base_ms * power(p_factor, least(greatest(p_failures, 0), 600 / greatest(ln(p_factor), 0.0001))))
    * (1 + p_jitter_low + p_random * (p_jitter_high - p_jitter_low))))::bigint
$$;
