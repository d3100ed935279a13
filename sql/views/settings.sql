-- The settings that change while everything runs, each with its default and the bounds of what it may be set to. This is the one place
-- of the database that knows them; src/domain/settings.ts says what each means, and a test holds the two together.
create or replace view holdfast.settings as
select k.name, coalesce((s.value #>> '{}')::numeric, k.default_value) as value, k.default_value, k.least, k.most,
  case when s.name is null then 'default' else 'set' end as origin, s.updated_at, s.updated_by
from (values
  ('LEASE_SEC_DEFAULT', 60::numeric, 1::numeric, 86400::numeric),
  ('BACKOFF_BASE_SEC', 30, 0, 86400),
  ('BACKOFF_MAX_SEC', 3600, 0, 2592000),
  ('MAX_ATTEMPTS_DEFAULT', 5, 1, 1001),
  ('PARTITION_JOBS', 1000000, 1000, 1000000000),
  ('AGE_AFTER_SEC', 3600, 1, 2592000),
  ('AGE_STEP', 10, 0, 100),
  ('AGE_CAP', 100, 0, 100),
  ('AGE_EVERY_SEC', 300, 1, 86400),
  ('RECLAIM_INTERVAL_MS', 1000, 50, 60000),
  ('STALE_DAYS', 30, 1, 3650),
  ('RESET_CRAWLING_AFTER_MIN', 15, 1, 10080),
  ('SHUTDOWN_GRACE_PERIOD_SECONDS', 300, 0, 86400),
  ('FIRE_EVERY_SEC', 60, 1, 3600),
  ('FIRING_DAYS', 90, 1, 3650),
  ('AUDIT_DAYS', 90, 1, 3650)) k (name, default_value, least, most)
left join holdfast.setting s on s.name = k.name;
