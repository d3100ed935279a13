-- The places of a job.
--
-- A job is always in exactly one place, and the places are tables: `held`, `delayed`, `ready`, `running`, and, once it
-- has ended, the `attempt` row marked `final`. A state change is one row leaving one table for another, the INSERT fed
-- only by the DELETE's RETURNING, so two verbs that meet over one job are decided by one row lock. There is no status
-- column to disagree with. What a job *is* (input, kind, key, target) stands in `job`, is written once and never again:
-- only small rows move.
--
-- What every moving row carries: `attempt` (claims so far; with `lease` the fence, so it only rises), the effective
-- `priority`, and three counters that never mix: `failures` (compared with the retry cap), `losses` in a row (the crash
-- budget), `interruptions` (release, snooze, drain: free of charge).
--
-- No foreign keys between the moving tables: each would be an extra lookup and a shared lock per job on the hot path. The
-- view holdfast.violations states what they would have guarded, and the tests ask it after every race.

create type holdfast.held_state as enum ('pending', 'waiting', 'paused', 'errored', 'parked');
create type holdfast.delayed_state as enum ('scheduled', 'retrying');
create type holdfast.outcome as enum ('succeeded', 'failed', 'canceled', 'snoozed', 'released', 'parked', 'lost');
create type holdfast.state as enum (
  'pending', 'waiting', 'paused', 'errored', 'parked', 'scheduled', 'retrying', 'queued', 'assigned', 'running',
  'succeeded', 'failed', 'canceled');

-- The part of a row that moves with a job, whichever place it is in.
create type holdfast.live as (
  job_id bigint, lane bigint, ord bigint, queue_id int, attempt int, interruptions int,
  priority smallint, failures smallint, losses smallint, keyed boolean);

-- What a producer asks for, on its way in. `taken_by` is the live job that already has the key, if any.
create type holdfast.new_job as (
  n int, id bigint, taken_by bigint, queue_id int, priority smallint, pending boolean, kind text, input jsonb, key text, target text,
  subject text, run_at timestamptz, max_retries int, timeout_ms int, token_limit bigint, target_count bigint, collection text,
  created_by text, trace text, labels jsonb, parent_id bigint, retry_of bigint);

create sequence holdfast.job_id_seq;
-- Partitioned by ranges of id, like `attempt`: history is dropped a range at a time, not deleted row by row.
create table holdfast.job (
  id bigint primary key,
  created_at timestamptz not null,
  queue_id int not null,
  priority_asked smallint not null check (priority_asked between 0 and 100),
  kind text not null check (char_length(kind) between 1 and 100),
  -- compression is tried by Postgres past 2 kB; smaller inputs stay in the row
  -- 1 MiB as its sender counts it: a list of small numbers takes six times its text here, and its text gains a space a comma
  input jsonb not null check (pg_column_size(input) <= 1048576 or octet_length(input::text) <= 1572864),
  key text collate "C" check (char_length(key) between 1 and 256),
  target text collate "C" check (char_length(target) between 1 and 256),
  subject text check (char_length(subject) between 1 and 256),
  run_at timestamptz,
  max_retries int check (max_retries between 0 and 1000),
  timeout_ms int check (timeout_ms > 0),
  token_limit bigint check (token_limit >= 0),
  target_count bigint check (target_count > 0),
  collection text check (char_length(collection) between 1 and 100),
  created_by text,
  trace text,
  labels jsonb,
  parent_id bigint,
  retry_of bigint
) partition by range (id);

-- The ranges that exist. Made ahead by upkeep, and by enqueue itself should upkeep sleep.
create table holdfast.partition (
  lo bigint primary key,
  hi bigint not null,
  -- when prune last looked at it
  looked_at timestamptz
);

-- Claimed in exactly this order: priority first (level = 100 - priority; 0 for every job of a fifo queue), then creation,
-- also for a job that came back. `since` is null for a job that was never anywhere else, which costs nothing to store;
-- the partial index holds only those that came back, so a claimer that skips an already drained front still finds them.
-- No index on job_id alone: it costs 68 B of WAL and 2 us a job, and a job is found by (queue, each level, id) as well.
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

-- A waiting job without a lane has arrived for its target but is not in line yet: a caller's open transaction must never
-- hold a lane, so it only leaves the job here, and whoever comes next (claim, promote, upkeep) places it.
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
  -- of parked jobs, which wait for a worker that knows it
  kind text
);
create unique index held_line on holdfast.held (lane, ord) where state = 'waiting' and lane is not null;
create index held_arrivals on holdfast.held (queue_id, target, job_id) where state = 'waiting' and lane is null;
create index held_blocked on holdfast.held (queue_id, since) where state in ('paused', 'errored', 'parked');
create index held_parked on holdfast.held (queue_id, kind, since) where state = 'parked';

-- `lease` is not indexed: a full index costs a claim and a finish more than the sweep of a dead worker gains.
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
  cancel_requested boolean not null default false,
  cancel_reason text
);
-- Never two running on a target, whatever the verbs do.
create unique index running_lane on holdfast.running (lane) where lane is not null;
-- Only jobs of queues with a limit are counted, so only they are indexed.
create index running_limited on holdfast.running (queue_id) where limited;
create index running_cancel on holdfast.running (lease) where cancel_requested;

-- One row per worker process (renewing a thousand jobs is one update), or one per job where only a report of that very
-- job may renew it. expires_at is not indexed so that a renewal stays a heap-only update. A sweep that has taken jobs from a worker's lease
-- has ended it: `ended_at` is set once and never cleared, so the worker is refused the next renewal and stops all its jobs.
-- Numbers are random (holdfast.new_lease_id): a sequence goes back with the WAL that a crash or a failover has lost.
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
  -- Whom the lease of a worker that comes over HTTP is for. A lease is only a number, and a server connects as one user
  -- for all tenants: it must be able to tell whose a lease is before it renews or closes it. Null where the worker connects itself.
  for_tenant text check (char_length(for_tenant) between 1 and 100),
  -- Which start of the server saw the lease opened, and in which transaction: claims under it may be gone after another start, and
  -- after a connection has broken (holdfast.hold_lease). Null for the lease of a single job, under which nothing more is claimed.
  server_started timestamptz,
  opened_xid xid8
) with (fillfactor = 50);

-- Worker names, once each: an attempt row carries four bytes instead of a host name.
create table holdfast.worker (
  id int generated always as identity primary key,
  name text not null unique check (char_length(name) between 1 and 256),
  created_at timestamptz not null
);

-- How the workers say they are, for people to look at; the leases decide. Unlogged: after a crash of the server they say it again.
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
  came_at timestamptz not null,
  heard_at timestamptz not null,
  -- it speaks to a server, for this tenant and no other; whoever has a key can take any name
  over_http boolean not null default false,
  primary key (worker_id, tenant)
) with (fillfactor = 50);

-- Requests to drain, each to one process (host, pid) of a worker. Logged, unlike presence: a request must survive a crash of the server.
create table holdfast.drain_request (
  worker_id int not null,
  tenant text not null check (char_length(tenant) between 1 and 100),
  host text not null,
  pid int not null,
  asked_at timestamptz not null,
  asked_by text,
  reason text,
  primary key (worker_id, tenant)
);

-- A target with work. `head` is the job it is at; jobs behind it wait in `held`. Where a target may run several at once, `more`
-- holds the others; such a job carries lane id + its slot, which is why ids are 1024 apart.
create table holdfast.lane (
  id bigint generated always as identity (start with 1024 increment by 1024) primary key,
  head bigint not null,
  queue_id int not null,
  target text collate "C" not null,
  more bigint[],
  unique (queue_id, target)
) with (fillfactor = 70);
create sequence holdfast.lane_ord_seq;

-- Lanes whose head ended while somebody else held the lane: settled right after.
create table holdfast.lane_todo (
  lane bigint not null,
  ended bigint not null
);

-- The moving tables turn over completely all day: vacuum by rows, not by share, and never take the lock that truncation needs.
alter table holdfast.ready set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, vacuum_truncate = false);
alter table holdfast.running set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, vacuum_truncate = false);
alter table holdfast.delayed set (autovacuum_vacuum_scale_factor = 0.02, vacuum_truncate = false);
alter table holdfast.held set (autovacuum_vacuum_scale_factor = 0.02, vacuum_truncate = false);
alter table holdfast.lease set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, vacuum_truncate = false);
alter table holdfast.lane set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, vacuum_truncate = false);
