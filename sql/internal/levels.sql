-- Every level a ready row can have. Immutable, so the planner turns it into a constant.
create or replace function holdfast.levels() returns smallint[]
language sql immutable parallel safe
as $$ select array(select n::smallint from pg_catalog.generate_series(0, 100) n) $$;
