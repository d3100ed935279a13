-- What rules over jobs: presets, queues, tenants and their limits, settings.

-- Policies by name. A queue copies its preset's row when it is made; null means "as the setting of that name says now".
create table holdfast.preset (
  preset text primary key,
  order_by text not null check (order_by in ('priority', 'fifo')),
  max_retries int check (max_retries between 0 and 1000),
  retry_base_ms bigint check (retry_base_ms >= 0),
  retry_factor double precision not null default 2 check (retry_factor between 1 and 100),
  retry_cap_ms bigint check (retry_cap_ms >= 0),
  jitter_low double precision not null check (jitter_low between -1 and 1),
  jitter_high double precision not null check (jitter_high between jitter_low and 1),
  lease_ms int check (lease_ms between 1000 and 86400000),
  heartbeat_ms int check (heartbeat_ms > 0),
  renewed_by text not null check (renewed_by in ('beat', 'report', 'nothing')),
  on_lease_lost text not null default 'retry' check (on_lease_lost in ('retry', 'error')),
  crash_budget int default 3 check (crash_budget > 0),
  on_cancel text not null default 'cancel' check (on_cancel in ('cancel', 'pause')),
  on_shutdown text not null default 'release' check (on_shutdown in ('release', 'pause')),
  serialize_targets boolean not null,
  on_error text not null default 'continue' check (on_error in ('continue', 'block')),
  dedup text not null default 'return_existing' check (dedup in ('return_existing', 'replace', 'reject')),
  dedup_by text not null default 'key' check (dedup_by in ('key', 'subject')),
  strict boolean not null default false,
  timeout_ms int check (timeout_ms > 0),
  items_key text,
  external_trigger text,
  -- limits; null means none, and costs nothing
  max_running int check (max_running > 0),
  max_running_per_target int not null default 1 check (max_running_per_target between 1 and 1000),
  rate_limit int check (rate_limit > 0),
  rate_period_ms int not null default 1000 check (rate_period_ms > 0),
  rate_burst int check (rate_burst > 0),
  rate_per_key boolean not null default false,
  -- how long ended jobs are kept; null means for ever
  retention_ms bigint default 604800000 check (retention_ms > 0)
);

insert into holdfast.preset (preset, order_by, max_retries, retry_base_ms, retry_cap_ms, jitter_low, jitter_high, lease_ms,
  heartbeat_ms, renewed_by, on_lease_lost, on_cancel, on_shutdown, serialize_targets, on_error, dedup_by, strict, items_key)
values
  ('default',  'priority', 4,    5000,  3600000,  -0.2, 0.2, 30000,  10000, 'beat',    'retry', 'cancel', 'release', true,  'continue', 'key',     false, null),
  ('harvest',  'fifo',     null, null,  null,     0,    0.2, null,   null,  'report',  'retry', 'cancel', 'release', false, 'continue', 'key',     false, 'phone'),
  ('crawl',    'priority', 3,    60000, 86400000, -0.2, 0.2, 900000, null,  'report',  'retry', 'cancel', 'release', false, 'continue', 'subject', false, null),
  ('pipeline', 'fifo',     3,    30000, 3600000,  -0.2, 0.2, 600000, null,  'nothing', 'retry', 'cancel', 'release', false, 'continue', 'key',     true,  null),
  ('target',   'fifo',     0,    0,     0,        0,    0,   10000,  2000,  'beat',    'error', 'pause',  'pause',   true,  'block',    'key',     false, null),
  ('catalog',  'fifo',     3,    1000,  60000,    -0.2, 0.2, 30000,  10000, 'beat',    'retry', 'cancel', 'release', false, 'continue', 'key',     false, null);

-- A queue belongs to one tenant, so a moving row needs only the queue's small id. Paused is a flag here, not a state of jobs.
create table holdfast.queue (
  id int generated always as identity primary key,
  tenant text not null check (char_length(tenant) between 1 and 100),
  name text not null check (name ~ '^[A-Za-z0-9_.:-]{1,100}$'),
  like holdfast.preset including defaults including constraints,
  paused_at timestamptz,
  paused_by text,
  pause_reason text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (tenant, name)
);
-- limited: some limit on starting jobs applies, of the queue or of its tenant; kept by set_policy and set_tenant_limits, so that a
-- claim asks one small index and queues without limits pay nothing.
alter table holdfast.queue add column limited boolean not null default false;
create index queue_limited on holdfast.queue (id) where limited;

-- What programs declare of kinds of jobs (defineJob). It holds for every job of the kind that does not give a value itself, however it is
-- enqueued. The last declaration counts.
create table holdfast.kind (
  tenant text not null check (char_length(tenant) between 1 and 100),
  kind text not null check (kind ~ '^[A-Za-z0-9_.:-]{1,100}$'),
  -- where its programs enqueue it; for people
  queue text not null check (queue ~ '^[A-Za-z0-9_.:-]{1,100}$'),
  max_retries int check (max_retries between 0 and 1000),
  timeout_ms int check (timeout_ms > 0),
  priority smallint check (priority between 0 and 100),
  -- templates: {a.b} stands for that field of the input (fill_template)
  key text check (char_length(key) between 1 and 256),
  target text check (char_length(target) between 1 and 256),
  -- which of these are functions of its program, which no database can call
  by_program text[] not null default '{}',
  declared_at timestamptz not null,
  declared_by text,
  says boolean generated always as (num_nonnulls(max_retries, timeout_ms, priority, key, target) > 0) stored,
  primary key (tenant, kind)
);
-- Kinds that say nothing cost an enqueue nothing.
create index kind_says on holdfast.kind (tenant, kind) where says;

-- Tenants that have limits; any other name is a tenant too, without.
create table holdfast.tenant (
  name text primary key check (char_length(name) between 1 and 100),
  max_running int check (max_running > 0),
  updated_at timestamptz not null
);

-- What a rate-limited queue may still start: a bucket that fills with time. One for the queue (key ''), or one for each key where
-- the rate counts per key; `booked_until` is then when the last token comes that is promised to a job already.
create table holdfast.rate (
  queue_id int not null,
  key text collate "C" not null,
  tokens double precision not null,
  filled_at timestamptz not null,
  booked_until timestamptz,
  primary key (queue_id, key)
) with (fillfactor = 50);

create table holdfast.setting (
  name text primary key,
  value jsonb not null,
  updated_at timestamptz not null,
  updated_by text
);

create table holdfast.chore (
  name text primary key,
  last_run_at timestamptz not null
);
