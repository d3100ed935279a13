-- How upkeep goes, what each queue did in each minute, and what is worked on again and again.

-- How each chore went last, whichever node did it. Unlogged: it is written all the time, and after a crash of the server every chore
-- runs again and says so.
create unlogged table holdfast.chore_run (
  name text primary key check (char_length(name) between 1 and 100),
  node text not null,
  every_ms bigint not null,
  last_run_at timestamptz not null,
  duration_ms int not null,
  rows bigint not null,
  runs bigint not null,
  rows_total bigint not null,
  -- when it last did something
  worked_at timestamptz,
  failures bigint not null,
  -- null again after a pass that went well
  error text,
  failed_at timestamptz
) with (fillfactor = 50);

-- Where a chore that follows the feed stands.
alter table holdfast.chore add column cursor text;
-- Whose transaction ids the events carry. A dump takes the row along, so a database that was restored elsewhere finds out.
insert into holdfast.chore (name, last_run_at, cursor)
  select 'events', pg_catalog.clock_timestamp(), pg_catalog.to_hex(c.system_identifier) from pg_catalog.pg_control_system() c;

-- What a queue did in a minute, added up from the feed by roll_up: each event is counted once, in the minute in which it happened, also when its
-- transaction commits later. `started`, waits and run times are known when an attempt ends, and counted then, in the minute it started
-- or ended in. A minute in which nothing happened has no row.
create table holdfast.queue_minute (
  queue_id int not null,
  minute timestamptz not null,
  enqueued int not null,
  started int not null,
  -- jobs that ended, by how
  succeeded int not null,
  failed int not null,
  canceled int not null,
  -- of these: jobs that had failed before they ended, and of those the ones that succeeded
  ended_after_failures int not null,
  succeeded_after_failures int not null,
  -- attempts, also those after which the job went on
  attempts_failed int not null,
  attempts_lost int not null,
  -- from when a job could be begun first to its first start
  wait_ms bigint not null,
  waits int not null,
  run_ms bigint not null,
  runs int not null,
  primary key (queue_id, minute)
) with (fillfactor = 70);
create index queue_minute_age on holdfast.queue_minute (minute);

-- What is worked on again and again in queues that keep one job per subject: when it last went well, and with which job it is asked for again
-- once that is too long ago. Kept by roll_up from jobs that succeeded.
create table holdfast.subject (
  id bigint generated always as identity primary key,
  queue_id int not null,
  name text collate "C" not null check (char_length(name) between 1 and 256),
  kind text not null check (char_length(kind) between 1 and 100),
  input jsonb not null check (pg_column_size(input) <= 1048576 or octet_length(input::text) <= 1572864),
  priority smallint not null check (priority between 0 and 100),
  last_success_at timestamptz,
  last_job_id bigint,
  -- null: as the setting STALE_DAYS says
  stale_after_ms bigint check (stale_after_ms > 0),
  enabled boolean not null,
  added_at timestamptz not null,
  added_by text,
  -- when it was last asked for because it was stale; null again after a success
  asked_at timestamptz,
  unique (queue_id, name)
);
-- for the shortest time that any of them has of its own
create index subject_own_time on holdfast.subject (stale_after_ms) where enabled and stale_after_ms is not null;
create index subject_age on holdfast.subject (coalesce(last_success_at, added_at)) where enabled;

-- So that the end of a key is told once.
alter table holdfast.api_key add column expiry_told_at timestamptz;
create index api_key_expiry on holdfast.api_key (expires_at) where expiry_told_at is null and revoked_at is null;
