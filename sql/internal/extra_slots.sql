-- The slots of a new lane beside its head: none where a target runs one job at a time.
create or replace function holdfast.extra_slots(p_queue int) returns bigint[]
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select case when q.max_running_per_target > 1 then array_fill(0::bigint, array[q.max_running_per_target - 1]) end
  from holdfast.queue q where q.id = p_queue
$$;
