-- The id of a new lease: 52 random bits, which a JavaScript number holds exactly, from a strong source, which
-- no setseed() repeats and no tenant can guess. The primary key keeps two equal ones apart: open_lease draws
-- again, and a claim is repeated by its caller. Inlined into its callers. Tests replace it.
create or replace function holdfast.new_lease_id() returns bigint
language sql volatile
as $$
  select ('x' || pg_catalog.left(pg_catalog.gen_random_uuid()::text, 8)
    || pg_catalog.right(pg_catalog.gen_random_uuid()::text, 5))::bit(52)::bigint + 1
$$;
