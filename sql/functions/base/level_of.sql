-- The level of a job in `ready`: lower levels are claimed first. Only a queue
-- ordered by priority has more than one. Inlined into its callers.
create or replace function holdfast.level_of(p_order_by text, p_priority int) returns smallint
language sql immutable parallel safe
as $$ select case p_order_by when 'priority' then 100 - p_priority else 0 end::smallint $$;

-- Every level a row of `ready` can have. Immutable, so the planner turns it into a constant.
create or replace function holdfast.all_levels() returns smallint[]
language sql immutable parallel safe
as $$ select array(select n::smallint from pg_catalog.generate_series(0, 100) n) $$;
