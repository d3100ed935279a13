-- How the work of the last fifteen minutes ended, by queue, as roll_up has counted it: the share of jobs that failed, where enough have ended to speak
-- of a share, and attempts whose lease ran out.
create or replace function holdfast.alert_rates() returns table (tenant text, rule text, subject text, value numeric, data jsonb)
language sql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set jit = off
as $$
  with counted as materialized (
    select q.tenant, q.name, sum(m.failed) as failed, sum(m.succeeded + m.failed) as ended, sum(m.attempts_lost) as lost
    from holdfast.queue_minute m join holdfast.queue q on q.id = m.queue_id
    where m.minute > holdfast.now() - interval '15 minutes' group by q.id)
  select c.tenant, 'failed_rate', c.name, round(100.0 * c.failed / c.ended, 1), jsonb_build_object('queue', c.name, 'failed', c.failed, 'ended', c.ended)
    from counted c where c.ended >= holdfast.setting_number('ALERT_FAILED_MIN_ENDED')
  union all
  select c.tenant, 'leases_lost', c.name, c.lost, jsonb_build_object('queue', c.name) from counted c where c.lost > 0
$$;
