-- The tables of Holdfast, as of the first release. Later changes are further numbered files beside this one.
--
-- Places. A job is always in exactly one place, and the places are tables: `held`, `delayed`, `ready`,
-- `running` and, once it has ended, the `attempt` row marked `final`. A state change moves one row from one
-- table to another, the INSERT fed only by the DELETE's RETURNING, so two functions that meet over one job
-- are decided by one row lock. No status column can disagree with that. What a job is (input, kind, key,
-- target) stands in `job`, written once and never updated: only small rows move.
--
-- Moving rows. Each carries `attempt` (the number of claims so far), the effective `priority`, and three
-- counters that never mix: `failures` (compared with the retry cap), `losses` in a row (compared with the
-- crash budget) and `interruptions` (release, snooze, drain; free of charge).
--
-- Fence. A worker writes under (job, attempt, lease) of its claim, and the write takes effect only while
-- `running` holds exactly that row. Attempt numbers only rise and lease numbers are random, so no triple is
-- handed out twice.
--
-- Lanes. Jobs of one target run one after the other. A `lane` is a target with work: the job at its head is
-- in any place but `waiting`, the others wait behind it in `held`, ordered by `ord`.
--
-- History. `attempt` has one row for each ended attempt. `job` and `attempt` are partitioned by the same
-- ranges of job id, so old history is dropped a range at a time.
--
-- Feed. Every move and every action of an operator writes an `event`. A subscriber reads on from a snapshot
-- of transaction ids, so an event whose transaction commits late is still delivered.
--
-- No foreign keys between the moving tables: each would cost a lookup and a shared lock per job on the hot
-- path. The view holdfast.violations states what they would guard, and the tests query it after every race.
--
-- `= any (array[x])` in the functions stands for `= x`: it keeps the planner on the index when its
-- statistics, which lag behind tables that turn over all day, speak for a scan.

-- ── Types ──────────────────────────────────────────────────────────────────────────────────────────────────

create type holdfast.held_state as enum ('pending', 'waiting', 'paused', 'errored', 'parked');
create type holdfast.delayed_state as enum ('scheduled', 'retrying');
create type holdfast.outcome as enum (
  'succeeded', 'failed', 'canceled', 'snoozed', 'released', 'parked', 'lost');
create type holdfast.state as enum (
  'pending', 'waiting', 'paused', 'errored', 'parked', 'scheduled', 'retrying', 'queued',
  'assigned', 'running', 'succeeded', 'failed', 'canceled');

-- The part of a row that moves with a job, in whichever place it is.
create type holdfast.live as (
  job_id bigint, lane bigint, ord bigint, queue_id int, attempt int, interruptions int,
  priority smallint, failures smallint, losses smallint, keyed boolean);

-- A job on its way in. `taken_by` is the live job that already has its key, if any.
create type holdfast.new_job as (
  n int, id bigint, taken_by bigint, queue_id int, priority smallint, pending boolean, kind text, input jsonb,
  key text, target text, subject text, run_at timestamptz, max_retries int, timeout_ms int,
  token_limit bigint, item_goal bigint, collection text, created_by text, trace text, labels jsonb,
  parent_id bigint, retry_of bigint);

-- What happened to jobs of a kind in a minute, on its way from the feed into the counts. Times are histograms
-- (holdfast.time_bucket).
create type holdfast.stat_cell as (
  queue_id int, kind text, minute timestamptz, enqueued int, started int, succeeded int, failed int,
  canceled int, ended_after_failures int, succeeded_after_failures int, attempts int, attempts_failed int,
  attempts_lost int, wait_ms bigint, waits int, run_ms bigint, runs int, wait_times int[], run_times int[]);

-- Attempts of a kind that workers of a version ended, and of a kind that failed with one error.
create type holdfast.version_cell as (
  queue_id int, kind text, version text, first_at timestamptz, last_at timestamptz, attempts int, failed int);
create type holdfast.error_cell as (
  queue_id int, kind text, version text, fingerprint text, minute timestamptz, last_at timestamptz,
  attempts int, last_job bigint, jobs bigint[], error_class text, message text);

-- ── Queues, kinds, tenants, settings ───────────────────────────────────────────────────────────────────────

-- Named policies. A queue copies its preset's row when it is created; null means the current value of the
-- setting of that name.
create table holdfast.preset (
  preset text primary key,
  order_by text not null check (order_by in ('priority', 'fifo', 'global_fifo')),
  max_retries int check (max_retries between 0 and 1000),
  retry_base_ms bigint check (retry_base_ms >= 0),
  retry_factor double precision not null default 2 check (retry_factor between 1 and 100),
  retry_cap_ms bigint check (retry_cap_ms >= 0),
  jitter_low double precision not null check (jitter_low between -1 and 1),
  jitter_high double precision not null check (jitter_high between jitter_low and 1),
  lease_ms int check (lease_ms between 1000 and 86400000),
  heartbeat_ms int check (heartbeat_ms > 0),
  renewed_by text not null check (renewed_by in ('heartbeat', 'report', 'nothing')),
  on_lease_lost text not null default 'retry' check (on_lease_lost in ('retry', 'count', 'error')),
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
  retention_ms bigint default 604800000 check (retention_ms > 0),
  record_starts boolean not null default false,
  unknown_kinds text not null default 'refuse' check (unknown_kinds in ('refuse', 'accept'))
);

insert into holdfast.preset (
  preset, order_by, max_retries, retry_base_ms, retry_cap_ms, jitter_low, jitter_high, lease_ms, heartbeat_ms,
  renewed_by, on_lease_lost, crash_budget, on_cancel, on_shutdown, serialize_targets, on_error, dedup_by,
  strict, items_key, record_starts)
values
  ('default', 'priority', 4, 5000, 3600000, -0.2, 0.2, 30000, 10000,
    'heartbeat', 'retry', 3, 'cancel', 'release', true, 'continue', 'key', false, null, false),
  ('harvest', 'fifo', null, null, null, 0, 0.2, null, null,
    'report', 'count', null, 'cancel', 'release', false, 'continue', 'key', false, 'phone', false),
  ('crawl', 'priority', 3, 60000, 86400000, -0.2, 0.2, 900000, null,
    'report', 'retry', 3, 'cancel', 'release', false, 'continue', 'subject', false, null, false),
  ('pipeline', 'fifo', 3, 30000, 3600000, -0.2, 0.2, 600000, null,
    'nothing', 'retry', 3, 'cancel', 'release', false, 'continue', 'key', true, null, false),
  ('target', 'fifo', 0, 0, 0, 0, 0, 10000, 2000,
    'heartbeat', 'error', 3, 'pause', 'pause', true, 'block', 'key', false, null, false),
  ('catalog', 'global_fifo', 3, 1000, 60000, -0.2, 0.2, 30000, 10000,
    'heartbeat', 'retry', 3, 'cancel', 'release', false, 'continue', 'key', false, null, true);

-- A queue belongs to one tenant, so a moving row needs only the queue's small id. Paused is a flag here, not
-- a state of jobs.
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
  -- a limit of the queue or of its tenant restricts claims; maintained by set_policy and set_tenant_limits,
  -- so that a claim reads one small index and queues without limits pay nothing
  limited boolean not null default false,
  unique (tenant, name)
);
create index queue_limited on holdfast.queue (id) where limited;
-- Queues that are claimed in one order together: a claim reads one small index, and others pay nothing.
create index queue_global on holdfast.queue (id) where order_by = 'global_fifo';

-- Defaults that programs declare for a kind of job (defineJob). They apply to every job of the kind that does
-- not set the value itself, however it is enqueued. The last declaration wins.
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
  -- which of these are functions of the program, which no database can call
  by_program text[] not null default '{}',
  -- fields of the input that are indexed for searches, and since when they are
  search text[] check (cardinality(search) between 1 and 8),
  search_since timestamptz,
  declared_at timestamptz not null,
  declared_by text,
  has_defaults boolean generated always as
    (num_nonnulls(max_retries, timeout_ms, priority, key, target) > 0) stored,
  primary key (tenant, kind)
);
-- Kinds without defaults cost an enqueue nothing.
create index kind_has_defaults on holdfast.kind (tenant, kind) where has_defaults;
create index kind_search on holdfast.kind (tenant, kind) where search is not null;
-- For whether a queue has declared kinds.
create index kind_queue on holdfast.kind (tenant, queue);

-- Tenants with limits; null means unlimited. Any other name is a tenant too, without limits.
create table holdfast.tenant (
  name text primary key check (char_length(name) between 1 and 100),
  max_running int check (max_running > 0),
  updated_at timestamptz not null,
  max_live_jobs int check (max_live_jobs > 0),
  enqueues_per_second int check (enqueues_per_second > 0),
  payload_bytes_max int check (payload_bytes_max between 1 and 1048576)
);

-- The token bucket of a rate-limited queue. One for the queue (key ''), or one for each key where the rate
-- counts per key; `booked_until` is then when the last token arrives that is promised to a job already.
create table holdfast.rate (
  queue_id int not null,
  key text collate "C" not null,
  tokens double precision not null,
  filled_at timestamptz not null,
  booked_until timestamptz,
  primary key (queue_id, key)
) with (fillfactor = 50);

-- Settings that differ from their defaults; the view `settings` has the defaults.
create table holdfast.setting (
  name text primary key,
  value jsonb not null,
  updated_at timestamptz not null,
  updated_by text
);

-- ── Jobs and the places they move through ──────────────────────────────────────────────────────────────────

create sequence holdfast.job_id_seq;
-- Partitioned by ranges of id, like `attempt`: history is dropped a range at a time, not deleted row by row.
create table holdfast.job (
  id bigint primary key,
  created_at timestamptz not null,
  queue_id int not null,
  initial_priority smallint not null check (initial_priority between 0 and 100),
  kind text not null check (char_length(kind) between 1 and 100),
  -- 1 MiB as its sender counts it: a list of small numbers takes six times its text here, and its text gains
  -- a space after each comma. Postgres tries compression past 2 kB; smaller inputs stay in the row.
  input jsonb not null check (pg_column_size(input) <= 1048576 or octet_length(input::text) <= 1572864),
  key text collate "C" check (char_length(key) between 1 and 256),
  target text collate "C" check (char_length(target) between 1 and 256),
  subject text check (char_length(subject) between 1 and 256),
  run_at timestamptz,
  max_retries int check (max_retries between 0 and 1000),
  timeout_ms int check (timeout_ms > 0),
  token_limit bigint check (token_limit >= 0),
  item_goal bigint check (item_goal > 0),
  collection text check (char_length(collection) between 1 and 100),
  created_by text,
  trace text,
  labels jsonb,
  parent_id bigint,
  retry_of bigint
) partition by range (id);
-- Failed jobs that were retried as a new job; jobs that retry nothing cost nothing.
create index job_retry on holdfast.job (retry_of) where retry_of is not null;
-- What a job has enqueued; jobs without a parent cost nothing, others 70 B of WAL and 3 us.
create index job_parent on holdfast.job (parent_id) where parent_id is not null;
-- For searches; jobs without key, target or trace cost nothing.
create index job_key on holdfast.job (key, id) where key is not null;
create index job_target on holdfast.job (target, id) where target is not null;
-- The trace id of a W3C trace context; of other text, a part that narrows it down.
create index job_trace on holdfast.job (substr(trace, 4, 32), id) where trace is not null;

-- Fields of inputs that a kind declares as searchable (kind.search), by a hash of path and value. Only jobs
-- of such kinds have rows. A search compares the input itself as well, so a collision of hashes does no harm.
create table holdfast.search_value (
  hash bigint not null,
  job_id bigint not null,
  queue_id int not null,
  primary key (hash, job_id)
);
-- For prune. Rows are in the order of their jobs, so a small index is enough.
create index search_value_job on holdfast.search_value using brin (job_id);

-- The ranges that exist. Upkeep makes them ahead of time, and enqueue makes one itself if upkeep has not.
create table holdfast.partition (
  lo bigint primary key,
  hi bigint not null,
  -- when prune last examined it
  looked_at timestamptz
);

-- Claimed in exactly this order: priority first (level = 100 - priority; 0 for every job of a fifo queue),
-- then creation, also for a job that came back. `since` is null for a job that was never anywhere else, which
-- costs nothing to store; the partial index holds only those that came back, so a claimer that skips an
-- already drained front still finds them. No index on job_id alone: it costs 68 B of WAL and 2 us a job, and
-- a job is found by (queue, each level, id) as well.
create table holdfast.ready (
  job_id bigint not null,
  lane bigint,
  ord bigint,
  queue_id int not null,
  attempt int not null,
  interruptions int not null,
  priority smallint not null,
  failures smallint not null,
  losses smallint not null,
  keyed boolean not null,
  level smallint not null,
  since timestamptz
);
create unique index ready_order on holdfast.ready (queue_id, level, job_id);
create index ready_returned on holdfast.ready (queue_id, level, job_id) where since is not null;

-- Jobs that are due later: scheduled, or waiting for their next retry.
create table holdfast.delayed (
  job_id bigint primary key,
  lane bigint,
  ord bigint,
  queue_id int not null,
  attempt int not null,
  interruptions int not null,
  priority smallint not null,
  failures smallint not null,
  losses smallint not null,
  keyed boolean not null,
  state holdfast.delayed_state not null,
  due_at timestamptz not null
);
create index delayed_due on holdfast.delayed (due_at);

-- Jobs that wait for something other than time. A waiting job without a lane has arrived for its target but
-- has no place in its lane yet: a caller's open transaction must never lock a lane, so it only leaves the job
-- here, and the next claim, promote or upkeep pass places it.
create table holdfast.held (
  job_id bigint primary key,
  lane bigint,
  ord bigint,
  queue_id int not null,
  attempt int not null,
  interruptions int not null,
  priority smallint not null,
  failures smallint not null,
  losses smallint not null,
  keyed boolean not null,
  state holdfast.held_state not null,
  since timestamptz not null,
  reason text,
  target text collate "C",
  -- of parked jobs, which wait for a worker that handles it
  kind text
);
create unique index held_line on holdfast.held (lane, ord) where state = 'waiting' and lane is not null;
create index held_arrivals on holdfast.held (queue_id, target, job_id)
  where state = 'waiting' and lane is null;
create index held_blocked on holdfast.held (queue_id, since) where state in ('paused', 'errored', 'parked');
-- The longest blocked target of a queue in one step, however many jobs without a target are set aside beside
-- it.
create index held_blocked_target on holdfast.held (queue_id, since)
  where state in ('paused', 'errored', 'parked') and lane is not null;
create index held_parked on holdfast.held (queue_id, kind, since) where state = 'parked';

-- Claimed jobs. `lease` is not indexed: a full index costs a claim and a finish more than the sweep of a dead
-- worker gains.
create table holdfast.running (
  job_id bigint primary key,
  lane bigint,
  ord bigint,
  lease bigint not null,
  claimed_at timestamptz not null,
  started_at timestamptz,
  queue_id int not null,
  attempt int not null,
  interruptions int not null,
  worker_id int not null,
  priority smallint not null,
  failures smallint not null,
  losses smallint not null,
  keyed boolean not null,
  own_lease boolean not null,
  limited boolean not null default false,
  -- its worker calls `start` before it begins: until then the handler has not run
  unstarted boolean not null default false,
  cancel_requested boolean not null default false,
  cancel_reason text
);
-- Never two running jobs of a target, whatever the functions do.
create unique index running_lane on holdfast.running (lane) where lane is not null;
-- Only jobs of queues with a limit are counted, so only they are indexed.
create index running_limited on holdfast.running (queue_id) where limited;
create index running_cancel on holdfast.running (lease) where cancel_requested;

-- A target with work. `head` is its current job; the jobs behind it wait in `held`. Where a target may run
-- several at once, `more` holds the others; such a job carries lane id + its slot, which is why ids are 1024
-- apart.
create table holdfast.lane (
  id bigint generated always as identity (start with 1024 increment by 1024) primary key,
  head bigint not null,
  queue_id int not null,
  target text collate "C" not null,
  more bigint[],
  unique (queue_id, target)
) with (fillfactor = 70);
create sequence holdfast.lane_ord_seq;

-- Lanes whose head ended while another transaction had the lane locked: settled by the next claim or upkeep
-- pass.
create table holdfast.lane_todo (
  lane bigint not null,
  ended bigint not null
);

-- Which live job has a key.
create table holdfast.dedup (
  queue_id int not null,
  key text collate "C" not null,
  job_id bigint not null,
  primary key (queue_id, key)
);

-- Results of enqueue calls that carried an idempotency key, so that the same call again returns the same.
create table holdfast.idempotency (
  tenant text not null,
  key text collate "C" not null,
  fingerprint text,
  job_ids bigint[],
  -- null when every job was created, as is usual
  statuses text[],
  created_at timestamptz not null,
  primary key (tenant, key)
);
create index idempotency_age on holdfast.idempotency (created_at);

-- ── Leases and workers ─────────────────────────────────────────────────────────────────────────────────────

-- One row per worker process (renewing a thousand jobs is one update), or one per job where only a report of
-- that very job may renew it. expires_at is not indexed so that a renewal stays a heap-only update. A sweep
-- that has taken jobs from a worker's lease has ended it: `ended_at` is set once and never cleared, so the
-- next renewal is refused and the worker stops all its jobs. Numbers are random (holdfast.new_lease_id): a
-- sequence goes back with the WAL that a crash or a failover has lost.
create table holdfast.lease (
  id bigint primary key,
  worker_id int not null,
  lease_ms int not null,
  opened_at timestamptz not null,
  heartbeat_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  job_id bigint,
  queue_id int,
  -- The tenant of a worker that connects over HTTP. A lease is only a number, and a server connects as one
  -- user for all tenants: it checks the tenant of a lease before it renews or closes it. Null where the
  -- worker connects itself.
  for_tenant text check (char_length(for_tenant) between 1 and 100),
  -- Which start of the server saw the lease opened, and in which transaction: claims under it may be gone
  -- after another start, and after a connection has broken (holdfast.hold_lease). Null for the lease of a
  -- single job, under which nothing more is claimed.
  server_started timestamptz,
  opened_xid xid8
) with (fillfactor = 50);

-- Attempts that an operator ended while their worker still ran them. Each renewal of the lease returns them
-- until a later renewal acknowledges them, so a lost reply loses nothing.
create table holdfast.revoked (
  lease bigint not null,
  job_id bigint not null,
  attempt int not null
);

-- Worker names, once each: an attempt row carries four bytes instead of a host name.
create table holdfast.worker (
  id int generated always as identity primary key,
  name text not null unique check (char_length(name) between 1 and 256),
  created_at timestamptz not null
);

-- Live worker processes by their last heartbeat, for people to look at; leases decide who holds a job.
-- Unlogged: after a crash of the server the next heartbeat writes the row again.
create unlogged table holdfast.presence (
  worker_id int not null,
  tenant text not null check (char_length(tenant) between 1 and 100),
  host text not null,
  pid int not null,
  version text not null,
  kinds text[] not null,
  queues text[] not null,
  slots int not null,
  busy int not null,
  lag_ms int not null,
  draining boolean not null,
  started_at timestamptz not null,
  heartbeat_at timestamptz not null,
  -- it connects to a server, for this tenant and no other; a caller with a key can take any name
  over_http boolean not null default false,
  -- of the program, if it reports one; `version` is that of Holdfast
  app_version text check (char_length(app_version) between 1 and 256),
  primary key (worker_id, tenant)
) with (fillfactor = 50);

-- Requests to drain, each to one process (host, pid) of a worker. Logged, unlike presence: a request must
-- survive a crash of the server.
create table holdfast.drain_request (
  worker_id int not null,
  tenant text not null check (char_length(tenant) between 1 and 100),
  host text not null,
  pid int not null,
  requested_at timestamptz not null,
  requested_by text,
  reason text,
  primary key (worker_id, tenant)
);

-- The moving tables turn over completely all day: vacuum by rows, not by share, and never take the lock that
-- truncation needs.
alter table holdfast.ready set (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, vacuum_truncate = false);
alter table holdfast.running set (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, vacuum_truncate = false);
alter table holdfast.delayed set (autovacuum_vacuum_scale_factor = 0.02, vacuum_truncate = false);
alter table holdfast.held set (autovacuum_vacuum_scale_factor = 0.02, vacuum_truncate = false);
alter table holdfast.lease set (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, vacuum_truncate = false);
alter table holdfast.lane set (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, vacuum_truncate = false);

-- ── History, progress, items ───────────────────────────────────────────────────────────────────────────────

-- One row for each ended attempt. `moved_to` is where the job went then and never changes; `final` marks the
-- row that ended the job and is taken off when an operator brings the job back. lease is null where no worker
-- was involved.
create table holdfast.attempt (
  job_id bigint not null,
  lease bigint,
  claimed_at timestamptz,
  started_at timestamptz,
  finished_at timestamptz not null,
  attempt int not null,
  queue_id int not null,
  worker_id int,
  outcome holdfast.outcome not null,
  moved_to holdfast.state not null,
  priority smallint not null,
  failures smallint not null,
  final boolean not null,
  result jsonb,
  reason text,
  error_class text,
  error_message text,
  error_fingerprint text,
  error_stack text,
  log_excerpt text,
  cleaned text[],
  primary key (job_id, attempt)
) partition by range (job_id);
-- Lists of failures read this; the many successes pay nothing for it.
create index attempt_unsuccessful on holdfast.attempt (finished_at, job_id)
  where final and moved_to <> 'succeeded';

-- What a job has reported. Only jobs that report have a row.
create table holdfast.progress (
  job_id bigint primary key,
  progress_count bigint not null default 0,
  result_count bigint not null default 0,
  tokens_used bigint not null default 0,
  last_progress_at timestamptz not null,
  cursor jsonb,
  progress jsonb,
  last_report text
);

-- Items that jobs have collected, once per key of a collection.
create table holdfast.item (
  id bigint generated always as identity primary key,
  job_id bigint not null,
  created_at timestamptz not null,
  queue_id int not null,
  attempt int not null,
  collection text not null,
  key text collate "C" not null,
  data jsonb not null,
  unique (queue_id, collection, key)
);
create index item_job on holdfast.item (job_id, id);
-- For pages of a collection: without it every page reads and sorts the whole collection.
create index item_collection on holdfast.item (queue_id, collection, id);

-- ── The feed, and waking workers ───────────────────────────────────────────────────────────────────────────

-- What happened, for subscribers. A batch of moves is one row per tenant with its job ids; what an operator
-- or the system did to one job carries job_id, actor and reason. xid comes first: the feed selects what
-- committed since a snapshot, so a transaction that commits late is still delivered, and no reader waits for
-- it.
create table holdfast.event (
  xid xid8 not null default pg_catalog.pg_current_xact_id(),
  id bigint generated always as identity,
  at timestamptz not null,
  tenant text not null default 'default',
  queue_id int,
  type text not null,
  job_id bigint,
  job_ids bigint[],
  actor text,
  reason text,
  data jsonb,
  -- the commit of these jobs wakes workers; null where it need not
  wake boolean,
  primary key (xid, id)
);
alter table holdfast.event alter column job_ids set storage external;
create index event_job on holdfast.event (job_id, id) where job_id is not null;

-- When a caller's commit last woke workers, and for which queue: milliseconds * 2^20 + queue id. A sequence,
-- because every session sees its value at once and it locks nothing; unlogged, because it means nothing after
-- a crash.
create unlogged sequence holdfast.wake_seq;

-- ── External triggers ──────────────────────────────────────────────────────────────────────────────────────

-- Jobs that an external trigger (SQS) must be notified about, written in the transaction that made them
-- claimable. A row stays when its message is sent: `due_at` is then when to check whether the job still
-- waits, because a message can be lost. It is deleted when the job no longer waits. '-infinity' sorts before
-- everything: a row that was never sent is due at once, in the order of ids.
create table holdfast.outbox (
  id bigint generated always as identity primary key,
  job_id bigint not null,
  queue_id int not null,
  created_at timestamptz not null,
  trigger text not null,
  due_at timestamptz not null default '-infinity',
  -- how often it was sent
  sends int not null default 0
);
create index outbox_due on holdfast.outbox (queue_id, due_at, id);
create index outbox_job on holdfast.outbox (job_id);
alter table holdfast.outbox set (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, vacuum_truncate = false);

-- When the dead letters of a trigger are next compared with its jobs, so that one of any number of relays
-- does it.
create table holdfast.reconcile_turn (
  tenant text not null,
  trigger text not null,
  next_at timestamptz not null,
  primary key (tenant, trigger)
);

-- ── Schedules ──────────────────────────────────────────────────────────────────────────────────────────────

-- A schedule fires at slots: the instants its expression means in its time zone. Programs compute them,
-- because they know time zones and calendars; the database knows only the next one. `next_slot` is the fence:
-- a firing names the slot it believes to be next and the one after it, and takes effect only while that is
-- so. `revision` rises with every change of the definition, so that no process fires by an old one.
create table holdfast.schedule (
  id bigint generated always as identity primary key,
  tenant text not null check (tenant ~ '^[A-Za-z0-9_.:-]{1,100}$'),
  name text not null check (name ~ '^[A-Za-z0-9_.:-]+( [A-Za-z0-9_.:-]+)*$' and char_length(name) <= 100),
  description text check (char_length(description) <= 1000),
  -- the job it enqueues
  queue text not null check (queue ~ '^[A-Za-z0-9_.:-]{1,100}$'),
  kind text not null check (kind ~ '^[A-Za-z0-9_.:-]{1,100}$'),
  input jsonb not null,
  -- what the job is about: while a live job has the same subject, none is enqueued
  subject text check (char_length(subject) between 1 and 256),
  -- null: as its kind declares
  priority smallint check (priority between 0 and 100),
  key text check (char_length(key) between 1 and 256),
  target text check (char_length(target) between 1 and 256),
  expression text not null check (char_length(expression) between 1 and 256),
  time_zone text not null check (char_length(time_zone) between 1 and 64),
  enabled boolean not null,
  paused_at timestamptz,
  paused_by text,
  pause_note text,
  -- what happens to slots that passed while no process was there to fire them; the number is for `all`
  catch_up text not null check (catch_up in ('skip', 'latest', 'all')),
  catch_up_max int not null check (catch_up_max between 1 and 1000),
  -- what a firing does while a job of an earlier one is alive
  overlap text not null check (overlap in ('allow', 'skip', 'queue_one', 'cancel_old')),
  jitter_ms int not null check (jitter_ms between 0 and 86400000),
  next_slot timestamptz not null,
  -- the slot and its share of the jitter
  next_run_at timestamptz not null,
  last_run_at timestamptz,
  -- slots up to here passed while it was paused
  quiet_until timestamptz,
  -- fired, and to be enqueued as soon as the job before has ended
  waiting_slot timestamptz,
  revision int not null,
  -- the definition a program declares when it starts; null for a schedule created at run time
  declared jsonb,
  -- which declared fields were changed at run time since; these changes stay
  overrides text[] not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  created_by text,
  unique (tenant, name)
);
create index schedule_due on holdfast.schedule (next_run_at) where enabled and paused_at is null;
create index schedule_waiting on holdfast.schedule (waiting_slot) where waiting_slot is not null;

-- One row for each slot, or one for a run of slots that passed without being fired.
create table holdfast.firing (
  id bigint generated always as identity primary key,
  tenant text not null check (tenant ~ '^[A-Za-z0-9_.:-]{1,100}$'),
  schedule_id bigint not null,
  slot timestamptz not null,
  -- of a run of slots: its last, and how many there are; null when they were not counted that far
  last_slot timestamptz not null,
  slots int check (slots > 0),
  fired_at timestamptz not null,
  outcome text not null
    check (outcome in ('created', 'deduplicated', 'skipped', 'missed', 'manual', 'waiting')),
  -- the job that was enqueued, or the live one in whose favour none was
  job_id bigint,
  note text,
  actor text
);
-- However many schedulers there are: a slot is fired once.
create unique index firing_slot on holdfast.firing (schedule_id, slot) where outcome <> 'manual';
create index firing_schedule on holdfast.firing (schedule_id, id);

-- A maintenance window: no schedule of the tenant fires from `since` until an operator ends it, or until
-- `until`.
create table holdfast.schedule_window (
  tenant text primary key check (tenant ~ '^[A-Za-z0-9_.:-]{1,100}$'),
  since timestamptz not null,
  until timestamptz,
  paused_by text,
  note text
);

-- ── Upkeep, counters, subjects ─────────────────────────────────────────────────────────────────────────────

-- Work that one process at a time does takes the row of its name for its transaction (take_turn). A row and
-- not an advisory lock: every role that may connect can take those, also one that may only read.
create table holdfast.turn (
  name text primary key
);
insert into holdfast.turn (name) values
  ('keys'), ('webhooks'), ('settings'), ('partitions'), ('prune'), ('roll_up'), ('events'), ('alert_rules'),
  ('bulk'), ('saved_views');

-- When a chore last ran, and the cursor of one that follows the feed.
create table holdfast.chore (
  name text primary key,
  last_run_at timestamptz not null,
  cursor text
);
-- Which server the transaction ids of the events come from. A dump takes the row along, so a database that
-- was restored elsewhere detects it.
insert into holdfast.chore (name, last_run_at, cursor)
  select 'events', pg_catalog.clock_timestamp(), pg_catalog.to_hex(c.system_identifier)
  from pg_catalog.pg_control_system() c;

-- The last run of each chore, on whichever node. Unlogged: it is written all the time, and after a crash of
-- the server every chore runs again and writes its row.
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
  last_change_at timestamptz,
  failures bigint not null,
  -- null again after a successful run
  error text,
  failed_at timestamptz
) with (fillfactor = 50);

-- What a queue did in a minute, added up from the feed by count_minutes: each event is counted once, in the
-- minute in which it happened, also when its transaction commits later. `started`, waits and run times are
-- known when an attempt ends, and counted then, in the minute it started or ended in. A minute in which
-- nothing happened has no row.
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
  -- attempts, also those after which the job was retried
  attempts_failed int not null,
  attempts_lost int not null,
  -- from when a job could first be claimed to its first start
  wait_ms bigint not null,
  waits int not null,
  run_ms bigint not null,
  runs int not null,
  primary key (queue_id, minute)
) with (fillfactor = 70);
create index queue_minute_age on holdfast.queue_minute (minute);

-- Charts: what happened in a minute, a quarter of an hour and an hour (`minutes`), for each queue and kind,
-- and for all of the tenant in one row with queue 0 and kind ''. So a chart reads as many rows as it has
-- points. A tenant has KINDS_COUNTED_MAX kinds here; those beyond are counted together as the kind '' of
-- their queue. Written by count_minutes like queue_minute; rows of a minute are stored for three hours, of a
-- quarter for two days, of an hour for eight days.
create table holdfast.stat (
  tenant text not null check (char_length(tenant) between 1 and 100),
  minutes smallint not null check (minutes in (1, 15, 60)),
  queue_id int not null,
  at timestamptz not null,
  kind text collate "C" not null,
  enqueued int not null,
  started int not null,
  succeeded int not null,
  failed int not null,
  canceled int not null,
  attempts int not null,
  attempts_failed int not null,
  attempts_lost int not null,
  -- histograms: the number of times in each bucket (holdfast.time_bucket), up to the last that has any
  wait_times int[] not null,
  run_times int[] not null,
  primary key (tenant, minutes, queue_id, at, kind)
) with (fillfactor = 70);
create index stat_kind on holdfast.stat (tenant, minutes, kind, at) where queue_id > 0;
create index stat_age on holdfast.stat (minutes, at);

-- The kinds of a tenant that are counted, with the last error of each.
create table holdfast.counted_kind (
  tenant text not null check (char_length(tenant) between 1 and 100),
  kind text collate "C" not null check (char_length(kind) between 1 and 100),
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  error_at timestamptz,
  error_fingerprint text,
  error_message text,
  error_job_id bigint,
  primary key (tenant, kind)
) with (fillfactor = 70);

-- Which version of the program a worker runs since when, so that attempts can be counted by version after
-- their worker has gone. Written with the first heartbeat of a process.
create table holdfast.worker_version (
  tenant text not null check (char_length(tenant) between 1 and 100),
  worker_id int not null,
  since timestamptz not null,
  version text not null check (char_length(version) between 1 and 256),
  primary key (tenant, worker_id, since)
);

-- Attempts of each kind by the version of the worker, '' where it is unknown. At most VERSIONS_PER_KIND_MAX
-- versions of a kind, the last seen ones.
create table holdfast.kind_version (
  tenant text not null check (char_length(tenant) between 1 and 100),
  kind text collate "C" not null,
  version text collate "C" not null,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  attempts bigint not null,
  failed bigint not null,
  primary key (tenant, kind, version)
) with (fillfactor = 70);

-- Failed attempts by the fingerprint of their error. At most ERROR_GROUPS_MAX groups of a tenant; errors
-- beyond are counted in the group ''. Written by count_minutes.
create table holdfast.error_group (
  tenant text not null check (char_length(tenant) between 1 and 100),
  fingerprint text collate "C" not null check (char_length(fingerprint) <= 100),
  error_class text,
  message text not null,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  attempts bigint not null,
  kinds text[] not null,
  queue_ids int[] not null,
  first_version text,
  last_version text,
  -- the last ones, newest first
  job_ids bigint[] not null,
  primary key (tenant, fingerprint)
) with (fillfactor = 70);
create index error_group_recent on holdfast.error_group (tenant, last_seen_at, fingerprint);

-- How often a kind failed with an error in a minute and in an hour.
create table holdfast.error_count (
  tenant text not null check (char_length(tenant) between 1 and 100),
  minutes smallint not null check (minutes in (1, 60)),
  fingerprint text collate "C" not null,
  kind text collate "C" not null,
  at timestamptz not null,
  attempts int not null,
  primary key (tenant, minutes, fingerprint, kind, at)
) with (fillfactor = 70);
create index error_count_kind on holdfast.error_count (tenant, minutes, kind, at);
create index error_count_age on holdfast.error_count (minutes, at);

-- Subjects that are worked on again and again, in queues that keep one job per subject: when a job last
-- succeeded, and the job to enqueue once that is too long ago. count_minutes updates it from jobs that
-- succeeded.
create table holdfast.subject (
  id bigint generated always as identity primary key,
  queue_id int not null,
  name text collate "C" not null check (char_length(name) between 1 and 256),
  kind text not null check (char_length(kind) between 1 and 100),
  input jsonb not null check (pg_column_size(input) <= 1048576 or octet_length(input::text) <= 1572864),
  priority smallint not null check (priority between 0 and 100),
  last_success_at timestamptz,
  last_job_id bigint,
  -- null: the setting STALE_DAYS applies
  stale_after_ms bigint check (stale_after_ms > 0),
  enabled boolean not null,
  added_at timestamptz not null,
  added_by text,
  -- when a job was last enqueued because it was stale; null again after a success
  enqueued_at timestamptz,
  unique (queue_id, name)
);
-- for the shortest stale_after_ms of any subject
create index subject_own_time on holdfast.subject (stale_after_ms)
  where enabled and stale_after_ms is not null;
create index subject_age on holdfast.subject (coalesce(last_success_at, added_at)) where enabled;

-- ── Alerts and webhooks ────────────────────────────────────────────────────────────────────────────────────

-- An alert is one rule about one subject: a queue, a queue and a kind, a schedule; '' is the installation
-- itself. It keeps its id however often it fires and clears. `pending`: the condition has not lasted long
-- enough to fire; `cleared`: it is over. One evaluation at a time decides, so a transition happens once and
-- leaves one row in `alert_event`, which never changes.
create table holdfast.alert (
  id bigint generated always as identity primary key,
  -- '*' for what concerns the installation
  tenant text not null check (char_length(tenant) between 1 and 100),
  rule text not null,
  subject text not null,
  state text not null check (state in ('pending', 'firing', 'cleared')),
  value numeric not null,
  threshold numeric not null,
  data jsonb,
  -- since when the condition has held; while cleared, since when it no longer has
  since timestamptz not null,
  fired_at timestamptz,
  -- the last evaluation that found the condition, and the first since then that did not while it still fires
  seen_at timestamptz not null,
  calm_since timestamptz,
  -- whether the webhooks have been notified that it fires
  notified boolean not null default false,
  silenced_until timestamptz,
  silenced_by text,
  silence_reason text,
  unique (tenant, rule, subject)
) with (fillfactor = 70);
create index alert_live on holdfast.alert (id) where state <> 'cleared';

create table holdfast.alert_event (
  id bigint generated always as identity primary key,
  alert_id bigint not null,
  at timestamptz not null,
  tenant text not null check (char_length(tenant) between 1 and 100),
  rule text not null,
  subject text not null,
  -- passed: it was over before it had lasted long enough to fire
  type text not null
    check (type in ('pending', 'firing', 'cleared', 'passed', 'silenced', 'unsilenced')),
  value numeric,
  threshold numeric,
  actor text,
  reason text,
  data jsonb
);
create index alert_event_alert on holdfast.alert_event (alert_id, id);
create index alert_event_tenant on holdfast.alert_event (tenant, id);

-- Overrides of a tenant for a rule (subject '') or for one subject of it; null leaves the value to the
-- settings.
create table holdfast.alert_rule (
  tenant text not null check (char_length(tenant) between 1 and 100),
  rule text not null,
  subject text not null check (char_length(subject) <= 250),
  enabled boolean,
  threshold numeric check (threshold >= 0),
  for_sec int check (for_sec between 0 and 86400),
  clear_sec int check (clear_sec between 0 and 86400),
  updated_at timestamptz not null,
  updated_by text,
  primary key (tenant, rule, subject)
);

-- When the next evaluation is due. The process that moves it evaluates; the others do nothing.
create table holdfast.alert_tick (
  only_one boolean primary key default true check (only_one),
  next_at timestamptz not null
);
insert into holdfast.alert_tick (next_at) values ('-infinity');

-- Addresses that are notified of alerts. The secret signs the messages, so it is stored as it is; no view
-- shows it.
create table holdfast.webhook (
  id bigint generated always as identity primary key,
  -- '*' receives the alerts of every tenant and of the installation
  tenant text not null check (tenant ~ '^([A-Za-z0-9_.:-]{1,100}|\*)$'),
  name text not null check (name ~ '^[A-Za-z0-9_.:-]{1,100}$'),
  url text not null check (char_length(url) between 1 and 2000),
  secret text not null check (char_length(secret) between 20 and 200),
  -- null: all of them
  rules text[] check (cardinality(rules) between 1 and 50),
  enabled boolean not null default true,
  created_at timestamptz not null,
  created_by text,
  unique (tenant, name)
);

-- Messages to send, written by the evaluation that decided them. The next message of an alert is sent when
-- the one before has arrived or was given up.
create table holdfast.webhook_delivery (
  id bigint generated always as identity primary key,
  webhook_id bigint not null,
  tenant text not null check (char_length(tenant) between 1 and 100),
  alert_id bigint not null,
  event_id bigint not null,
  type text not null check (type in ('firing', 'cleared')),
  state text not null check (state in ('waiting', 'delivered', 'failed', 'dropped')),
  attempts int not null default 0,
  created_at timestamptz not null,
  -- when it is tried next; while it is being sent, when it counts as lost
  next_at timestamptz not null,
  ended_at timestamptz,
  -- of the last response
  status int,
  error text
) with (fillfactor = 70);
create index webhook_delivery_line on holdfast.webhook_delivery (webhook_id, alert_id, id)
  where state = 'waiting';
-- by tenant, so that each has its share of what is sent
create index webhook_delivery_due on holdfast.webhook_delivery (tenant, next_at) where state = 'waiting';
create index webhook_delivery_webhook on holdfast.webhook_delivery (webhook_id, id);

-- ── Bulk operations and saved views ────────────────────────────────────────────────────────────────────────

-- One command for every job that a search finds. A process takes the operation for a while (`runner`), finds
-- a page of jobs, and applies the command to them in one transaction with their results, `cursor` and `page`
-- (apply_bulk). So a crash loses a page whole or not at all, and no job is acted on twice.
create table holdfast.bulk_operation (
  id bigint generated always as identity primary key,
  tenant text not null check (tenant ~ '^[A-Za-z0-9_.:-]{1,100}$'),
  command text not null
    check (command in ('retry', 'cancel', 'resume', 'boost', 'discard', 'skip', 'priority')),
  q text not null check (char_length(q) <= 2000),
  priority smallint check (priority between 0 and 100),
  boost_by smallint check (boost_by between 1 and 100),
  -- jobs that were created or ended later do not count
  until timestamptz not null,
  state text not null default 'waiting' check (state in ('waiting', 'running', 'done', 'aborted', 'failed')),
  -- what the preview counted
  expected bigint,
  expected_capped boolean not null default false,
  matched int not null default 0,
  done int not null default 0,
  failed int not null default 0,
  limit_reached boolean not null default false,
  -- how many pages are applied, and where the next begins
  page int not null default 0,
  cursor text,
  -- the process that carries it out, and until when no other takes it
  runner text check (char_length(runner) between 1 and 256),
  runner_until timestamptz not null default '-infinity',
  -- why the last page failed; it is tried again
  error text,
  failures int not null default 0,
  request_key text collate "C",
  fingerprint text,
  created_at timestamptz not null,
  created_by text,
  reason text,
  started_at timestamptz,
  ended_at timestamptz,
  aborted_by text,
  abort_reason text
) with (fillfactor = 50);
create index bulk_operation_open on holdfast.bulk_operation (tenant, id)
  where state in ('waiting', 'running');
create index bulk_operation_tenant on holdfast.bulk_operation (tenant, id);
create unique index bulk_operation_request on holdfast.bulk_operation (tenant, request_key)
  where request_key is not null;

-- The result of a bulk operation for one job.
create table holdfast.bulk_result (
  operation_id bigint not null,
  job_id bigint not null,
  tenant text not null check (tenant ~ '^[A-Za-z0-9_.:-]{1,100}$'),
  at timestamptz not null,
  ok boolean not null,
  state holdfast.state,
  new_job_id bigint,
  code text,
  detail text,
  primary key (operation_id, job_id)
);
create index bulk_result_refused on holdfast.bulk_result (operation_id, job_id) where not ok;

-- Searches with a name, for the people of a tenant.
create table holdfast.saved_view (
  id bigint generated always as identity primary key,
  tenant text not null check (tenant ~ '^[A-Za-z0-9_.:-]{1,100}$'),
  name text not null check (char_length(name) between 1 and 100),
  q text not null check (char_length(q) <= 2000),
  columns text[] check (cardinality(columns) <= 30),
  sort text check (char_length(sort) <= 100),
  created_at timestamptz not null,
  created_by text,
  updated_at timestamptz not null,
  updated_by text,
  unique (tenant, name)
);

-- ── Access to the server ───────────────────────────────────────────────────────────────────────────────────

-- An API key is shown once, when it is created; only its SHA-256 is stored. It has 256 random bits, so a hash
-- without salt cannot be reversed, and finding a key is one lookup. `tenant` is the tenant whose jobs it
-- reaches, '*' for those who run the installation. Two keys of a name live at once only while one replaces
-- the other.
create table holdfast.api_key (
  id bigint generated always as identity primary key,
  tenant text not null check (tenant ~ '^([A-Za-z0-9_.:-]{1,100}|\*)$'),
  name text not null check (name ~ '^[A-Za-z0-9_.:-]{1,100}$'),
  hash bytea not null unique check (octet_length(hash) = 32),
  -- its first letters, by which people recognise it
  hint text not null check (char_length(hint) between 1 and 20),
  scopes text[] not null
    check (cardinality(scopes) > 0 and scopes <@ array['enqueue', 'work', 'read', 'operate', 'admin']),
  -- calls per second at each server; null means no limit
  rate_limit int check (rate_limit between 1 and 1000000),
  created_at timestamptz not null,
  created_by text,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz,
  revoked_by text,
  revoke_reason text,
  -- the key that this one replaces
  replaces bigint,
  -- when the event `key_expired` was written, which happens once
  expiry_reported_at timestamptz
);
create index api_key_name on holdfast.api_key (tenant, name);
create index api_key_expiry on holdfast.api_key (expires_at)
  where expiry_reported_at is null and revoked_at is null;

-- Sessions of browsers: a login exchanges a key for a cookie. The row has the SHA-256 of the cookie's token,
-- so a reader of this table cannot use a session.
create table holdfast.web_session (
  id bigint generated always as identity primary key,
  tenant text not null check (tenant ~ '^([A-Za-z0-9_.:-]{1,100}|\*)$'),
  hash bytea not null unique check (octet_length(hash) = 32),
  -- null for the admin key of the servers, which is in no table
  key_id bigint references holdfast.api_key (id) on delete cascade,
  -- the HMAC of that admin key with the token, so that the session ends when the key is another one
  proof bytea check (octet_length(proof) = 32),
  idle interval not null,
  created_at timestamptz not null,
  used_at timestamptz not null,
  -- the latest end, and the end if it is not used before
  ends_at timestamptz not null,
  expires_at timestamptz not null,
  check ((key_id is null) = (proof is not null))
);
create index web_session_key on holdfast.web_session (coalesce(key_id, 0), used_at);
create index web_session_expiry on holdfast.web_session (expires_at);

-- One row from the moment the first key is created, never changed or deleted after that: from then on every
-- server of this database requires a key, also one on loopback, and also when the last key has expired or was
-- revoked or pruned.
create table holdfast.closed (
  only_one boolean primary key default true check (only_one),
  since timestamptz not null
);

-- The audit log: one row for each call that could have changed something, also where it was refused.
create table holdfast.audit (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  tenant text not null check (char_length(tenant) between 1 and 100),
  actor text not null,
  key_id bigint,
  -- the route as the contract names it, and the path as it was called
  operation text not null,
  method text not null,
  path text not null,
  status int not null,
  -- why it was refused
  code text,
  reason text,
  request_id text not null,
  address text
);
create index audit_tenant on holdfast.audit (tenant, id);

-- ── Moving to another database ─────────────────────────────────────────────────────────────────────────────

-- `holdfast move` copies an embedded database to a server. Both have one row about it, with the same id. No
-- program works on the source from the moment the row is there, nor on the destination until its row has
-- ended. `peer` is the other database, without password; `copied` names the tables that are complete.
create table holdfast.move (
  only_one boolean primary key default true check (only_one),
  id text not null,
  role text not null check (role in ('source', 'destination')),
  peer text not null,
  copied text[] not null default '{}',
  started_at timestamptz not null,
  ended_at timestamptz
);
