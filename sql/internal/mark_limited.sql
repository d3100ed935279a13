-- Notes for these queues whether some limit on starting jobs applies, after a change. What is running already is counted from now on:
-- it may have been claimed while nobody counted. (A claim on its way at this very moment is not seen; its jobs count for nothing
-- until they end.)
create or replace function holdfast.mark_limited(p_queues int[]) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_limited int[];
begin
  update holdfast.queue q set limited = holdfast.is_limited(q) where q.id = any (p_queues) and q.limited <> holdfast.is_limited(q);
  v_limited := array(select q.id from holdfast.queue q where q.id = any (p_queues) and q.limited);
  if v_limited <> '{}' then
    update holdfast.running r set limited = true
      from (select x.job_id from holdfast.running x where x.queue_id = any (v_limited) and not x.limited order by x.job_id for update) n
      where r.job_id = n.job_id;
  end if;
end $$;
