-- Every alert rule with the threshold that the settings give it now.
create or replace function holdfast.alert_defaults() returns table (rule text, threshold numeric)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select r.rule, s.value
  from (values
    ('depth', 'ALERT_DEPTH_JOBS'),
    ('failed_rate', 'ALERT_FAILED_PERCENT'),
    ('running_long', 'ALERT_RUNNING_SEC'),
    ('schedule_late', 'ALERT_LATE_TICKS'),
    ('no_worker', 'ALERT_NO_WORKER_JOBS'),
    ('oldest_ready', 'ALERT_OLDEST_READY_SEC'),
    ('leases_lost', 'ALERT_LEASES_LOST'),
    ('blocked_target', 'ALERT_BLOCKED_SEC'),
    ('old_snapshot', 'ALERT_SNAPSHOT_SEC')) r (rule, setting)
  join holdfast.settings s on s.name = r.setting
$$;
