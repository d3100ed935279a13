-- Whether some limit on starting jobs applies to a queue.
create or replace function holdfast.is_limited(p_queue holdfast.queue) returns boolean
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select p_queue.max_running is not null or p_queue.rate_limit is not null
    or exists (select from holdfast.tenant t where t.name = p_queue.tenant and t.max_running is not null)
$$;
