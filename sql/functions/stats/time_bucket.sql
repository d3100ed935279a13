-- Histograms of times, from which percentiles are read. The bounds of the buckets grow by the root of two, so
-- a percentile is off by a fifth at most, and histograms are added up bucket by bucket.

-- The bucket of a time: 0 is less than a millisecond, the last is 37 hours and more.
create or replace function holdfast.time_bucket(p_ms bigint) returns int
language sql immutable
set search_path = pg_catalog, pg_temp
as $$ select width_bucket(p_ms, holdfast.time_bounds()) $$;

-- Where buckets 1, 2, … begin, in milliseconds; src/domain/stats/histogram.ts has the same.
create or replace function holdfast.time_bounds() returns bigint[]
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select '{1,2,3,4,6,8,11,16,23,32,45,64,91,128,181,256,362,512,724,1024,1448,2048,2896,4096,5793,8192,11585,
    16384,23170,32768,46341,65536,92682,131072,185364,262144,370728,524288,741455,1048576,1482910,2097152,
    2965821,4194304,5931642,8388608,11863283,16777216,23726566,33554432,47453133,67108864,94906266,
    134217728}'::bigint[]
$$;

-- How many of these times are in each bucket, up to the last that has any.
create or replace function holdfast.histogram(p_times bigint[]) returns int[]
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  with counted as materialized (
    select width_bucket(t.ms, b.bounds) as bucket, count(*)::int as times
    from (select holdfast.time_bounds() as bounds offset 0) b cross join unnest(p_times) t (ms) group by 1)
  select coalesce(array_agg(coalesce(c.times, 0) order by i.bucket), '{}')
  from generate_series(0, (select max(c.bucket) from counted c)) i (bucket)
  left join counted c on c.bucket = i.bucket
$$;

-- Two histograms as one.
create or replace function holdfast.add_times(p_one int[], p_other int[]) returns int[]
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(array_agg(coalesce(t.one, 0) + coalesce(t.other, 0) order by t.bucket), '{}')
  from unnest(p_one, p_other) with ordinality t (one, other, bucket)
$$;
