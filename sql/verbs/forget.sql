-- Lets go of what is kept only for a while: events older than p_events, answers kept for repeated requests older than p_requests, workers
-- not heard of for a day, words for triggers that nobody took as long as events are kept, calls of the server older than the setting
-- AUDIT_DAYS, counts of minutes older than ROLLUP_DAYS, firings older than FIRING_DAYS.
-- At most p_limit rows of each in one pass, oldest first.
create or replace function holdfast.forget(p_events interval default '7 days', p_requests interval default '24 hours', p_limit int default 10000)
returns int
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_sort = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_now timestamptz := holdfast.now();
  v_events int;
  v_requests int;
  v_words int;
begin
  perform holdfast.check_sight(p_all => true);
  delete from holdfast.event e using (
      select x.xid, x.id from holdfast.event x order by x.xid, x.id limit p_limit) o
    where e.xid = o.xid and e.id = o.id and e.at < v_now - p_events;
  get diagnostics v_events = row_count;
  delete from holdfast.idempotency i using (
      select x.tenant, x.key from holdfast.idempotency x where x.created_at < v_now - p_requests order by x.created_at limit p_limit) o
    where i.tenant = o.tenant and i.key = o.key;
  get diagnostics v_requests = row_count;
  -- A job among them that still waits is written down again by tell_untold.
  delete from holdfast.outbox o using (select x.id from holdfast.outbox x order by x.id limit p_limit) w
    where o.id = any (array[w.id]) and o.created_at < v_now - p_events;
  get diagnostics v_words = row_count;
  return v_events + v_requests + v_words + holdfast.forget_buckets(p_limit) + holdfast.forget_workers(p_limit)
    + holdfast.forget_calls(p_limit) + holdfast.forget_minutes(p_limit) + holdfast.forget_firings(p_limit);
end $$;
