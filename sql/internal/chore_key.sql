-- The key of an advisory lock for a chore of this schema: two schemas in one database must not wait for each other.
create or replace function holdfast.chore_key(p_chore text) returns bigint
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select hashtextextended(p_chore || ' ' || pg_typeof(null::holdfast.chore)::oid, 0)
$$;
