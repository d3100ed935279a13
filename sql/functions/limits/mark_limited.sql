-- Records for these queues whether any limit on starting jobs applies, after a change. Running jobs are
-- counted from now on: they may have been claimed while no limit was counted. (A claim that is under way at
-- this moment is not seen; its jobs do not count until they end.)
create or replace function holdfast.mark_limited(p_queues int[]) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_limited int[];
begin
  update holdfast.queue q set limited = holdfast.is_limited(q) where q.id = any (p_queues)
    and q.limited <> holdfast.is_limited(q);
  v_limited := array(select q.id from holdfast.queue q where q.id = any (p_queues) and q.limited);
  if v_limited <> '{}' then
    update holdfast.running r set limited = true
      from (select x.job_id from holdfast.running x where x.queue_id = any (v_limited) and not x.limited
        order by x.job_id for update) n
      where r.job_id = n.job_id;
  end if;
end $$;

-- Whether any limit on starting jobs applies to a queue.
create or replace function holdfast.is_limited(p_queue holdfast.queue) returns boolean
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select p_queue.max_running is not null or p_queue.rate_limit is not null
    or exists (select from holdfast.tenant t where t.name = p_queue.tenant and t.max_running is not null)
$$;
