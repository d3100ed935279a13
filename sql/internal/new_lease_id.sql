-- The number of a new lease: 52 random bits, which a number of JavaScript holds exactly. Strong ones, which no setseed() repeats and no
-- tenant can guess. Two alike are kept apart by the primary key: open_lease draws again, and a claim is repeated by its caller.
-- One expression without settings of its own, so that Postgres puts it into the statement that calls it. Tests replace it.
create or replace function holdfast.new_lease_id() returns bigint
language sql volatile
as $$
  select ('x' || pg_catalog.left(pg_catalog.gen_random_uuid()::text, 8) || pg_catalog.right(pg_catalog.gen_random_uuid()::text, 5))::bit(52)::bigint + 1
$$;
