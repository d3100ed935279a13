-- Sets how long a job of the preset `crawl` may run without a progress report; heartbeats of a live process
-- do not count. Changes the lease of the preset, of its queues without a lease time of their own, and of the
-- jobs that run there: each is reclaimed p_after after its last report. Returns how many rows changed; writes
-- nothing if nothing differs.
create or replace function holdfast.reset_after(p_after interval) returns int
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_ms int := extract(epoch from p_after) * 1000;
  v_before int := (select p.lease_ms from holdfast.preset p where p.preset = 'crawl');
  v_queues int[];
  v_count int;
begin
  perform holdfast.check_sight(p_all => true);
  if v_before = v_ms then
    return 0;
  end if;
  update holdfast.preset p set lease_ms = v_ms where p.preset = 'crawl' and p.lease_ms = v_before;
  if not found then
    return 0;
  end if;
  with changed_queue as (
    update holdfast.queue q set lease_ms = v_ms, updated_at = holdfast.now() where q.preset = 'crawl'
      and q.lease_ms = v_before returning q.id)
  select array_agg(f.id) into v_queues from changed_queue f;
  update holdfast.lease l set lease_ms = v_ms, expires_at = l.expires_at + interval '1 ms' * (v_ms - v_before)
    where l.queue_id = any (v_queues) and l.lease_ms = v_before;
  get diagnostics v_count = row_count;
  return v_count + coalesce(cardinality(v_queues), 0);
end $$;
