-- What is written down beside the places: how attempts ended, and the side tables that only jobs that use them pay for.

-- One row for each ended attempt. `moved_to` says where the job went then and never changes; `final` marks the row that
-- ended the job and is taken off when an operator brings the job back. lease is null where no worker was involved.
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
-- Lists of what went wrong read this; the many successes pay nothing for it.
create index attempt_unsuccessful on holdfast.attempt (finished_at, job_id) where final and moved_to <> 'succeeded';

-- Which live job has a key.
create table holdfast.dedup (
  queue_id int not null,
  key text collate "C" not null,
  job_id bigint not null,
  primary key (queue_id, key)
);

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

-- Attempts that an operator ended while their worker was still on them. Each renewal of the lease answers with them until a later renewal
-- acknowledges them, so a lost reply loses nothing.
create table holdfast.revoked (
  lease bigint not null,
  job_id bigint not null,
  attempt int not null
);

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

-- What happened, for whoever follows along. A batch of moves is one row per tenant with its job ids; what a person or the system did
-- to one job carries job_id, actor and reason. xid first: the feed asks "committed since that snapshot", so a transaction
-- that commits late is still delivered, and nothing waits for it.
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

-- When a caller's commit last woke workers, and for which queue: milliseconds * 2^20 + queue id. A sequence, because what it holds is seen by
-- all at once and locks nothing; unlogged, because after a crash nobody needs it.
create unlogged sequence holdfast.wake_seq;

-- Jobs an external trigger (SQS) must be told about, written in the transaction that made them claimable.
create table holdfast.outbox (
  id bigint generated always as identity primary key,
  job_id bigint not null,
  queue_id int not null,
  created_at timestamptz not null,
  trigger text not null
);
