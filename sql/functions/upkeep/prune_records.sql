-- Deletes records that are stored only for a while: events older than p_events, answers for repeated requests
-- older than p_requests, workers without a heartbeat for a day, outbox rows that no trigger took for as long
-- as events are stored, calls of the server older than the setting AUDIT_DAYS, minute counts older than
-- ROLLUP_DAYS, rows of charts, kinds, versions and groups of errors (prune_stats), firings older than
-- FIRING_DAYS, bulk operations that ended before AUDIT_DAYS. At most p_limit rows of each in one pass, oldest
-- first.
create or replace function holdfast.prune_records(p_events interval default '7 days',
  p_requests interval default '24 hours', p_limit int default 10000)
returns int
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_events int;
  v_requests int;
  v_outbox int;
begin
  perform holdfast.check_sight(p_all => true);
  delete from holdfast.event e using (
      select x.xid, x.id from holdfast.event x order by x.xid, x.id limit p_limit) o
    where e.xid = o.xid and e.id = o.id and e.at < v_now - p_events;
  get diagnostics v_events = row_count;
  delete from holdfast.idempotency i using (
      select x.tenant, x.key from holdfast.idempotency x where x.created_at < v_now - p_requests
        order by x.created_at limit p_limit) o
    where i.tenant = o.tenant and i.key = o.key;
  get diagnostics v_requests = row_count;
  -- outbox_backfill inserts those whose job still waits again.
  delete from holdfast.outbox o using (select x.id from holdfast.outbox x order by x.id limit p_limit) w
    where o.id = any (array[w.id]) and o.created_at < v_now - p_events;
  get diagnostics v_outbox = row_count;
  return v_events + v_requests + v_outbox + holdfast.prune_buckets(p_limit) + holdfast.prune_workers(p_limit)
    + holdfast.prune_calls(p_limit) + holdfast.prune_minutes(p_limit) + holdfast.prune_firings(p_limit)
    + holdfast.prune_stats(p_limit) + holdfast.prune_bulk(p_limit);
end $$;

-- Deletes token buckets that are full again and have nothing promised: a bucket without a row is full.
create or replace function holdfast.prune_buckets(p_limit int) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_deleted int;
begin
  delete from holdfast.rate r using
      (select b.queue_id, b.key from holdfast.rate b join holdfast.queue p on p.id = b.queue_id
       where coalesce(b.booked_until <= v_now, true)
         and coalesce(holdfast.tokens_at(p, b.tokens, b.filled_at, v_now) >= coalesce(p.rate_burst,
           p.rate_limit), true)
       limit p_limit for update of b skip locked) o
    where r.queue_id = o.queue_id and r.key = o.key;
  get diagnostics v_deleted = row_count;
  return v_deleted;
end $$;

-- Deletes workers without a heartbeat for a day: they ended without being removed.
create or replace function holdfast.prune_workers(p_limit int) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_before timestamptz := holdfast.now() - interval '1 day';
  v_deleted int;
begin
  delete from holdfast.presence p using (
      select x.worker_id, x.tenant from holdfast.presence x where x.heartbeat_at < v_before limit p_limit
        for update skip locked) o
    where p.worker_id = o.worker_id and p.tenant = o.tenant;
  get diagnostics v_deleted = row_count;
  -- A crash of the server empties `presence` until the next heartbeats, so a request is kept for a day as
  -- well.
  delete from holdfast.drain_request d where d.requested_at < v_before
    and not exists (select from holdfast.presence p where p.worker_id = d.worker_id and p.tenant = d.tenant);
  return v_deleted;
end $$;

-- Deletes the oldest rows of the audit log, once they are older than the setting AUDIT_DAYS. Their ids are in
-- the order of their times, but for moments.
create or replace function holdfast.prune_calls(p_limit int) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_before timestamptz := holdfast.now() - interval '1 day' * holdfast.setting_number('AUDIT_DAYS')::int;
  v_count int;
begin
  delete from holdfast.audit a using (select x.id from holdfast.audit x order by x.id limit p_limit) o
    where a.id = o.id and a.at < v_before;
  get diagnostics v_count = row_count;
  return v_count;
end $$;

-- Deletes bulk operations that ended longer ago than the setting AUDIT_DAYS, their results first.
create or replace function holdfast.prune_bulk(p_limit int) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_before timestamptz := holdfast.now() - interval '1 day' * holdfast.setting_number('AUDIT_DAYS')::int;
  v_old bigint[];
  v_results int;
  v_operations int;
begin
  v_old := array(select x.id from (select o.id, o.ended_at from holdfast.bulk_operation o order by o.id
    limit p_limit) x where x.ended_at < v_before);
  delete from holdfast.bulk_result r using (
      select x.operation_id, x.job_id from holdfast.bulk_result x where x.operation_id = any (v_old)
        limit p_limit) o
    where r.operation_id = o.operation_id and r.job_id = o.job_id;
  get diagnostics v_results = row_count;
  delete from holdfast.bulk_operation o where o.id = any (v_old)
    and not exists (select from holdfast.bulk_result r where r.operation_id = o.id);
  get diagnostics v_operations = row_count;
  return v_results + v_operations;
end $$;

-- Deletes minute counts older than the setting ROLLUP_DAYS.
create or replace function holdfast.prune_minutes(p_limit int) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_before timestamptz := holdfast.now() - interval '1 day' * holdfast.setting_number('ROLLUP_DAYS')::int;
  v_deleted int;
begin
  delete from holdfast.queue_minute m using (
      select x.queue_id, x.minute from holdfast.queue_minute x where x.minute < v_before order by x.minute
        limit p_limit for update skip locked) o
    where m.queue_id = o.queue_id and m.minute = o.minute;
  get diagnostics v_deleted = row_count;
  return v_deleted;
end $$;

-- Deletes the oldest firings, once they are older than the setting FIRING_DAYS. A slot so old never comes
-- again.
create or replace function holdfast.prune_firings(p_limit int) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_before timestamptz := holdfast.now() - interval '1 day' * holdfast.setting_number('FIRING_DAYS')::int;
  v_count int;
begin
  delete from holdfast.firing f using (select x.id from holdfast.firing x order by x.id limit p_limit) o
    where f.id = o.id and f.fired_at < v_before and f.outcome <> 'waiting';
  get diagnostics v_count = row_count;
  return v_count;
end $$;

-- Deletes records of alerts older than the setting ALERT_DAYS: transitions, deliveries, and alerts that have
-- been clear and not silenced since then. At most p_limit of each, the oldest first.
create or replace function holdfast.prune_alerts(p_limit int, p_now timestamptz) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_before timestamptz := p_now - interval '1 day' * holdfast.setting_number('ALERT_DAYS')::int;
begin
  delete from holdfast.webhook_delivery d using (select x.id from holdfast.webhook_delivery x order by x.id
    limit p_limit) o
    where d.id = o.id and d.created_at < v_before;
  delete from holdfast.alert_event e using (select x.id from holdfast.alert_event x order by x.id
    limit p_limit) o
    where e.id = o.id and e.at < v_before;
  delete from holdfast.alert a using (
      select x.id from holdfast.alert x where x.state = 'cleared' and x.since < v_before
        and coalesce(x.silenced_until < p_now, true) limit p_limit) o
    where a.id = o.id;
end $$;
