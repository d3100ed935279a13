-- What a database has after `holdfast migrate up`, read back from its catalogs.
-- This is a picture to read, not a script to apply: migrations, functions and views are in the folders beside it.
-- Generated; to renew it: npm run generate

-- types

create type holdfast.delayed_state as enum ('scheduled', 'retrying');

create type holdfast.held_state as enum ('pending', 'waiting', 'paused', 'errored', 'parked');

create type holdfast.outcome as enum ('succeeded', 'failed', 'canceled', 'snoozed', 'released', 'parked', 'lost');

create type holdfast.state as enum ('pending', 'waiting', 'paused', 'errored', 'parked', 'scheduled', 'retrying', 'queued', 'assigned', 'running', 'succeeded', 'failed', 'canceled');

create type holdfast.error_cell as (
  queue_id integer,
  kind text,
  version text,
  fingerprint text,
  minute timestamp with time zone,
  last_at timestamp with time zone,
  attempts integer,
  last_job bigint,
  jobs bigint[],
  error_class text,
  message text
);

create type holdfast.live as (
  job_id bigint,
  lane bigint,
  ord bigint,
  queue_id integer,
  attempt integer,
  interruptions integer,
  priority smallint,
  failures smallint,
  losses smallint,
  keyed boolean
);

create type holdfast.new_job as (
  n integer,
  id bigint,
  taken_by bigint,
  queue_id integer,
  priority smallint,
  pending boolean,
  kind text,
  input jsonb,
  key text,
  target text,
  subject text,
  run_at timestamp with time zone,
  max_retries integer,
  timeout_ms integer,
  token_limit bigint,
  item_goal bigint,
  collection text,
  created_by text,
  trace text,
  labels jsonb,
  parent_id bigint,
  retry_of bigint
);

create type holdfast.stat_cell as (
  queue_id integer,
  kind text,
  minute timestamp with time zone,
  enqueued integer,
  started integer,
  succeeded integer,
  failed integer,
  canceled integer,
  ended_after_failures integer,
  succeeded_after_failures integer,
  attempts integer,
  attempts_failed integer,
  attempts_lost integer,
  wait_ms bigint,
  waits integer,
  run_ms bigint,
  runs integer,
  wait_times integer[],
  run_times integer[]
);

create type holdfast.version_cell as (
  queue_id integer,
  kind text,
  version text,
  first_at timestamp with time zone,
  last_at timestamp with time zone,
  attempts integer,
  failed integer
);

-- sequences

create sequence holdfast.job_id_seq as bigint;

create sequence holdfast.lane_ord_seq as bigint;

create sequence holdfast.wake_seq as bigint;

-- tables

create table holdfast.alert (
  id bigint generated always as identity not null,
  tenant text not null,
  rule text not null,
  subject text not null,
  state text not null,
  value numeric not null,
  threshold numeric not null,
  data jsonb,
  since timestamp with time zone not null,
  fired_at timestamp with time zone,
  seen_at timestamp with time zone not null,
  calm_since timestamp with time zone,
  notified boolean default false not null,
  silenced_until timestamp with time zone,
  silenced_by text,
  silence_reason text,
  constraint alert_pkey PRIMARY KEY (id),
  constraint alert_tenant_rule_subject_key UNIQUE (tenant, rule, subject),
  constraint alert_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'firing'::text, 'cleared'::text]))),
  constraint alert_tenant_check CHECK (((char_length(tenant) >= 1) AND (char_length(tenant) <= 100)))
) with (fillfactor=70);
CREATE INDEX alert_live ON holdfast.alert USING btree (id) WHERE (state <> 'cleared'::text);

create table holdfast.alert_event (
  id bigint generated always as identity not null,
  alert_id bigint not null,
  at timestamp with time zone not null,
  tenant text not null,
  rule text not null,
  subject text not null,
  type text not null,
  value numeric,
  threshold numeric,
  actor text,
  reason text,
  data jsonb,
  constraint alert_event_pkey PRIMARY KEY (id),
  constraint alert_event_tenant_check CHECK (((char_length(tenant) >= 1) AND (char_length(tenant) <= 100))),
  constraint alert_event_type_check CHECK ((type = ANY (ARRAY['pending'::text, 'firing'::text, 'cleared'::text, 'passed'::text, 'silenced'::text, 'unsilenced'::text])))
);
CREATE INDEX alert_event_alert ON holdfast.alert_event USING btree (alert_id, id);
CREATE INDEX alert_event_tenant ON holdfast.alert_event USING btree (tenant, id);

create table holdfast.alert_rule (
  tenant text not null,
  rule text not null,
  subject text not null,
  enabled boolean,
  threshold numeric,
  for_sec integer,
  clear_sec integer,
  updated_at timestamp with time zone not null,
  updated_by text,
  constraint alert_rule_pkey PRIMARY KEY (tenant, rule, subject),
  constraint alert_rule_clear_sec_check CHECK (((clear_sec >= 0) AND (clear_sec <= 86400))),
  constraint alert_rule_for_sec_check CHECK (((for_sec >= 0) AND (for_sec <= 86400))),
  constraint alert_rule_subject_check CHECK ((char_length(subject) <= 250)),
  constraint alert_rule_tenant_check CHECK (((char_length(tenant) >= 1) AND (char_length(tenant) <= 100))),
  constraint alert_rule_threshold_check CHECK ((threshold >= (0)::numeric))
);

create table holdfast.alert_tick (
  only_one boolean default true not null,
  next_at timestamp with time zone not null,
  constraint alert_tick_pkey PRIMARY KEY (only_one),
  constraint alert_tick_only_one_check CHECK (only_one)
);

create table holdfast.api_key (
  id bigint generated always as identity not null,
  tenant text not null,
  name text not null,
  hash bytea not null,
  hint text not null,
  scopes text[] not null,
  rate_limit integer,
  created_at timestamp with time zone not null,
  created_by text,
  expires_at timestamp with time zone,
  last_used_at timestamp with time zone,
  revoked_at timestamp with time zone,
  revoked_by text,
  revoke_reason text,
  replaces bigint,
  expiry_reported_at timestamp with time zone,
  constraint api_key_pkey PRIMARY KEY (id),
  constraint api_key_hash_key UNIQUE (hash),
  constraint api_key_hash_check CHECK ((octet_length(hash) = 32)),
  constraint api_key_hint_check CHECK (((char_length(hint) >= 1) AND (char_length(hint) <= 20))),
  constraint api_key_name_check CHECK ((name ~ '^[A-Za-z0-9_.:-]{1,100}$'::text)),
  constraint api_key_rate_limit_check CHECK (((rate_limit >= 1) AND (rate_limit <= 1000000))),
  constraint api_key_scopes_check CHECK (((cardinality(scopes) > 0) AND (scopes <@ ARRAY['enqueue'::text, 'work'::text, 'read'::text, 'operate'::text, 'admin'::text]))),
  constraint api_key_tenant_check CHECK ((tenant ~ '^([A-Za-z0-9_.:-]{1,100}|\*)$'::text))
);
CREATE INDEX api_key_expiry ON holdfast.api_key USING btree (expires_at) WHERE ((expiry_reported_at IS NULL) AND (revoked_at IS NULL));
CREATE INDEX api_key_name ON holdfast.api_key USING btree (tenant, name);

create table holdfast.attempt (
  job_id bigint not null,
  lease bigint,
  claimed_at timestamp with time zone,
  started_at timestamp with time zone,
  finished_at timestamp with time zone not null,
  attempt integer not null,
  queue_id integer not null,
  worker_id integer,
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
  constraint attempt_pkey PRIMARY KEY (job_id, attempt)
);
CREATE INDEX attempt_unsuccessful ON holdfast.attempt USING btree (finished_at, job_id) WHERE (final AND (moved_to <> 'succeeded'::holdfast.state));

create table holdfast.audit (
  id bigint generated always as identity not null,
  at timestamp with time zone not null,
  tenant text not null,
  actor text not null,
  key_id bigint,
  operation text not null,
  method text not null,
  path text not null,
  status integer not null,
  code text,
  reason text,
  request_id text not null,
  address text,
  constraint audit_pkey PRIMARY KEY (id),
  constraint audit_tenant_check CHECK (((char_length(tenant) >= 1) AND (char_length(tenant) <= 100)))
);
CREATE INDEX audit_tenant ON holdfast.audit USING btree (tenant, id);

create table holdfast.bulk_operation (
  id bigint generated always as identity not null,
  tenant text not null,
  command text not null,
  q text not null,
  priority smallint,
  boost_by smallint,
  until timestamp with time zone not null,
  state text default 'waiting'::text not null,
  expected bigint,
  expected_capped boolean default false not null,
  matched integer default 0 not null,
  done integer default 0 not null,
  failed integer default 0 not null,
  limit_reached boolean default false not null,
  page integer default 0 not null,
  cursor text,
  runner text,
  runner_until timestamp with time zone default '-infinity'::timestamp with time zone not null,
  error text,
  failures integer default 0 not null,
  request_key text collate "C",
  fingerprint text,
  created_at timestamp with time zone not null,
  created_by text,
  reason text,
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  aborted_by text,
  abort_reason text,
  constraint bulk_operation_pkey PRIMARY KEY (id),
  constraint bulk_operation_boost_by_check CHECK (((boost_by >= 1) AND (boost_by <= 100))),
  constraint bulk_operation_command_check CHECK ((command = ANY (ARRAY['retry'::text, 'cancel'::text, 'resume'::text, 'boost'::text, 'discard'::text, 'skip'::text, 'priority'::text]))),
  constraint bulk_operation_priority_check CHECK (((priority >= 0) AND (priority <= 100))),
  constraint bulk_operation_q_check CHECK ((char_length(q) <= 2000)),
  constraint bulk_operation_runner_check CHECK (((char_length(runner) >= 1) AND (char_length(runner) <= 256))),
  constraint bulk_operation_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'running'::text, 'done'::text, 'aborted'::text, 'failed'::text]))),
  constraint bulk_operation_tenant_check CHECK ((tenant ~ '^[A-Za-z0-9_.:-]{1,100}$'::text))
) with (fillfactor=50);
CREATE INDEX bulk_operation_open ON holdfast.bulk_operation USING btree (tenant, id) WHERE (state = ANY (ARRAY['waiting'::text, 'running'::text]));
CREATE UNIQUE INDEX bulk_operation_request ON holdfast.bulk_operation USING btree (tenant, request_key) WHERE (request_key IS NOT NULL);
CREATE INDEX bulk_operation_tenant ON holdfast.bulk_operation USING btree (tenant, id);

create table holdfast.bulk_result (
  operation_id bigint not null,
  job_id bigint not null,
  tenant text not null,
  at timestamp with time zone not null,
  ok boolean not null,
  state holdfast.state,
  new_job_id bigint,
  code text,
  detail text,
  constraint bulk_result_pkey PRIMARY KEY (operation_id, job_id),
  constraint bulk_result_tenant_check CHECK ((tenant ~ '^[A-Za-z0-9_.:-]{1,100}$'::text))
);
CREATE INDEX bulk_result_refused ON holdfast.bulk_result USING btree (operation_id, job_id) WHERE (NOT ok);

create table holdfast.chore (
  name text not null,
  last_run_at timestamp with time zone not null,
  cursor text,
  constraint chore_pkey PRIMARY KEY (name)
);

create unlogged table holdfast.chore_run (
  name text not null,
  node text not null,
  every_ms bigint not null,
  last_run_at timestamp with time zone not null,
  duration_ms integer not null,
  rows bigint not null,
  runs bigint not null,
  rows_total bigint not null,
  last_change_at timestamp with time zone,
  failures bigint not null,
  error text,
  failed_at timestamp with time zone,
  constraint chore_run_pkey PRIMARY KEY (name),
  constraint chore_run_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100)))
) with (fillfactor=50);

create table holdfast.closed (
  only_one boolean default true not null,
  since timestamp with time zone not null,
  constraint closed_pkey PRIMARY KEY (only_one),
  constraint closed_only_one_check CHECK (only_one)
);

create table holdfast.code (
  hash text not null,
  package text not null,
  applied_at timestamp with time zone not null
);

create table holdfast.counted_kind (
  tenant text not null,
  kind text collate "C" not null,
  first_seen_at timestamp with time zone not null,
  last_seen_at timestamp with time zone not null,
  error_at timestamp with time zone,
  error_fingerprint text,
  error_message text,
  error_job_id bigint,
  constraint counted_kind_pkey PRIMARY KEY (tenant, kind),
  constraint counted_kind_kind_check CHECK (((char_length(kind) >= 1) AND (char_length(kind) <= 100))),
  constraint counted_kind_tenant_check CHECK (((char_length(tenant) >= 1) AND (char_length(tenant) <= 100)))
) with (fillfactor=70);

create table holdfast.dedup (
  queue_id integer not null,
  key text collate "C" not null,
  job_id bigint not null,
  constraint dedup_pkey PRIMARY KEY (queue_id, key)
);

create table holdfast.delayed (
  job_id bigint not null,
  lane bigint,
  ord bigint,
  queue_id integer not null,
  attempt integer not null,
  interruptions integer not null,
  priority smallint not null,
  failures smallint not null,
  losses smallint not null,
  keyed boolean not null,
  state holdfast.delayed_state not null,
  due_at timestamp with time zone not null,
  constraint delayed_pkey PRIMARY KEY (job_id)
) with (autovacuum_vacuum_scale_factor=0.02, vacuum_truncate=false);
CREATE INDEX delayed_due ON holdfast.delayed USING btree (due_at);

create table holdfast.drain_request (
  worker_id integer not null,
  tenant text not null,
  host text not null,
  pid integer not null,
  requested_at timestamp with time zone not null,
  requested_by text,
  reason text,
  constraint drain_request_pkey PRIMARY KEY (worker_id, tenant),
  constraint drain_request_tenant_check CHECK (((char_length(tenant) >= 1) AND (char_length(tenant) <= 100)))
);

create table holdfast.error_count (
  tenant text not null,
  minutes smallint not null,
  fingerprint text collate "C" not null,
  kind text collate "C" not null,
  at timestamp with time zone not null,
  attempts integer not null,
  constraint error_count_pkey PRIMARY KEY (tenant, minutes, fingerprint, kind, at),
  constraint error_count_minutes_check CHECK ((minutes = ANY (ARRAY[1, 60]))),
  constraint error_count_tenant_check CHECK (((char_length(tenant) >= 1) AND (char_length(tenant) <= 100)))
) with (fillfactor=70);
CREATE INDEX error_count_age ON holdfast.error_count USING btree (minutes, at);
CREATE INDEX error_count_kind ON holdfast.error_count USING btree (tenant, minutes, kind, at);

create table holdfast.error_group (
  tenant text not null,
  fingerprint text collate "C" not null,
  error_class text,
  message text not null,
  first_seen_at timestamp with time zone not null,
  last_seen_at timestamp with time zone not null,
  attempts bigint not null,
  kinds text[] not null,
  queue_ids integer[] not null,
  first_version text,
  last_version text,
  job_ids bigint[] not null,
  constraint error_group_pkey PRIMARY KEY (tenant, fingerprint),
  constraint error_group_fingerprint_check CHECK ((char_length(fingerprint) <= 100)),
  constraint error_group_tenant_check CHECK (((char_length(tenant) >= 1) AND (char_length(tenant) <= 100)))
) with (fillfactor=70);
CREATE INDEX error_group_recent ON holdfast.error_group USING btree (tenant, last_seen_at, fingerprint);

create table holdfast.event (
  xid xid8 default pg_current_xact_id() not null,
  id bigint generated always as identity not null,
  at timestamp with time zone not null,
  tenant text default 'default'::text not null,
  queue_id integer,
  type text not null,
  job_id bigint,
  job_ids bigint[] storage external,
  actor text,
  reason text,
  data jsonb,
  wake boolean,
  constraint event_pkey PRIMARY KEY (xid, id)
);
CREATE INDEX event_job ON holdfast.event USING btree (job_id, id) WHERE (job_id IS NOT NULL);

create table holdfast.firing (
  id bigint generated always as identity not null,
  tenant text not null,
  schedule_id bigint not null,
  slot timestamp with time zone not null,
  last_slot timestamp with time zone not null,
  slots integer,
  fired_at timestamp with time zone not null,
  outcome text not null,
  job_id bigint,
  note text,
  actor text,
  constraint firing_pkey PRIMARY KEY (id),
  constraint firing_outcome_check CHECK ((outcome = ANY (ARRAY['created'::text, 'deduplicated'::text, 'skipped'::text, 'missed'::text, 'manual'::text, 'waiting'::text]))),
  constraint firing_slots_check CHECK ((slots > 0)),
  constraint firing_tenant_check CHECK ((tenant ~ '^[A-Za-z0-9_.:-]{1,100}$'::text))
);
CREATE INDEX firing_schedule ON holdfast.firing USING btree (schedule_id, id);
CREATE UNIQUE INDEX firing_slot ON holdfast.firing USING btree (schedule_id, slot) WHERE (outcome <> 'manual'::text);

create table holdfast.held (
  job_id bigint not null,
  lane bigint,
  ord bigint,
  queue_id integer not null,
  attempt integer not null,
  interruptions integer not null,
  priority smallint not null,
  failures smallint not null,
  losses smallint not null,
  keyed boolean not null,
  state holdfast.held_state not null,
  since timestamp with time zone not null,
  reason text,
  target text collate "C",
  kind text,
  constraint held_pkey PRIMARY KEY (job_id)
) with (autovacuum_vacuum_scale_factor=0.02, vacuum_truncate=false);
CREATE INDEX held_arrivals ON holdfast.held USING btree (queue_id, target, job_id) WHERE ((state = 'waiting'::holdfast.held_state) AND (lane IS NULL));
CREATE INDEX held_blocked ON holdfast.held USING btree (queue_id, since) WHERE (state = ANY (ARRAY['paused'::holdfast.held_state, 'errored'::holdfast.held_state, 'parked'::holdfast.held_state]));
CREATE INDEX held_blocked_target ON holdfast.held USING btree (queue_id, since) WHERE ((state = ANY (ARRAY['paused'::holdfast.held_state, 'errored'::holdfast.held_state, 'parked'::holdfast.held_state])) AND (lane IS NOT NULL));
CREATE UNIQUE INDEX held_line ON holdfast.held USING btree (lane, ord) WHERE ((state = 'waiting'::holdfast.held_state) AND (lane IS NOT NULL));
CREATE INDEX held_parked ON holdfast.held USING btree (queue_id, kind, since) WHERE (state = 'parked'::holdfast.held_state);

create table holdfast.idempotency (
  tenant text not null,
  key text collate "C" not null,
  fingerprint text,
  job_ids bigint[],
  statuses text[],
  created_at timestamp with time zone not null,
  constraint idempotency_pkey PRIMARY KEY (tenant, key)
);
CREATE INDEX idempotency_age ON holdfast.idempotency USING btree (created_at);

create table holdfast.item (
  id bigint generated always as identity not null,
  job_id bigint not null,
  created_at timestamp with time zone not null,
  queue_id integer not null,
  attempt integer not null,
  collection text not null,
  key text collate "C" not null,
  data jsonb not null,
  constraint item_pkey PRIMARY KEY (id),
  constraint item_queue_id_collection_key_key UNIQUE (queue_id, collection, key)
);
CREATE INDEX item_collection ON holdfast.item USING btree (queue_id, collection, id);
CREATE INDEX item_job ON holdfast.item USING btree (job_id, id);

create table holdfast.job (
  id bigint not null,
  created_at timestamp with time zone not null,
  queue_id integer not null,
  initial_priority smallint not null,
  kind text not null,
  input jsonb not null,
  key text collate "C",
  target text collate "C",
  subject text,
  run_at timestamp with time zone,
  max_retries integer,
  timeout_ms integer,
  token_limit bigint,
  item_goal bigint,
  collection text,
  created_by text,
  trace text,
  labels jsonb,
  parent_id bigint,
  retry_of bigint,
  constraint job_pkey PRIMARY KEY (id),
  constraint job_collection_check CHECK (((char_length(collection) >= 1) AND (char_length(collection) <= 100))),
  constraint job_initial_priority_check CHECK (((initial_priority >= 0) AND (initial_priority <= 100))),
  constraint job_input_check CHECK (((pg_column_size(input) <= 1048576) OR (octet_length((input)::text) <= 1572864))),
  constraint job_item_goal_check CHECK ((item_goal > 0)),
  constraint job_key_check CHECK (((char_length(key) >= 1) AND (char_length(key) <= 256))),
  constraint job_kind_check CHECK (((char_length(kind) >= 1) AND (char_length(kind) <= 100))),
  constraint job_max_retries_check CHECK (((max_retries >= 0) AND (max_retries <= 1000))),
  constraint job_subject_check CHECK (((char_length(subject) >= 1) AND (char_length(subject) <= 256))),
  constraint job_target_check CHECK (((char_length(target) >= 1) AND (char_length(target) <= 256))),
  constraint job_timeout_ms_check CHECK ((timeout_ms > 0)),
  constraint job_token_limit_check CHECK ((token_limit >= 0))
);
CREATE INDEX job_key ON holdfast.job USING btree (key, id) WHERE (key IS NOT NULL);
CREATE INDEX job_parent ON holdfast.job USING btree (parent_id) WHERE (parent_id IS NOT NULL);
CREATE INDEX job_retry ON holdfast.job USING btree (retry_of) WHERE (retry_of IS NOT NULL);
CREATE INDEX job_target ON holdfast.job USING btree (target, id) WHERE (target IS NOT NULL);
CREATE INDEX job_trace ON holdfast.job USING btree (substr(trace, 4, 32), id) WHERE (trace IS NOT NULL);

create table holdfast.kind (
  tenant text not null,
  kind text not null,
  queue text not null,
  max_retries integer,
  timeout_ms integer,
  priority smallint,
  key text,
  target text,
  by_program text[] default '{}'::text[] not null,
  search text[],
  search_since timestamp with time zone,
  declared_at timestamp with time zone not null,
  declared_by text,
  has_defaults boolean generated always as ((num_nonnulls(max_retries, timeout_ms, priority, key, target) > 0)),
  constraint kind_pkey PRIMARY KEY (tenant, kind),
  constraint kind_key_check CHECK (((char_length(key) >= 1) AND (char_length(key) <= 256))),
  constraint kind_kind_check CHECK ((kind ~ '^[A-Za-z0-9_.:-]{1,100}$'::text)),
  constraint kind_max_retries_check CHECK (((max_retries >= 0) AND (max_retries <= 1000))),
  constraint kind_priority_check CHECK (((priority >= 0) AND (priority <= 100))),
  constraint kind_queue_check CHECK ((queue ~ '^[A-Za-z0-9_.:-]{1,100}$'::text)),
  constraint kind_search_check CHECK (((cardinality(search) >= 1) AND (cardinality(search) <= 8))),
  constraint kind_target_check CHECK (((char_length(target) >= 1) AND (char_length(target) <= 256))),
  constraint kind_tenant_check CHECK (((char_length(tenant) >= 1) AND (char_length(tenant) <= 100))),
  constraint kind_timeout_ms_check CHECK ((timeout_ms > 0))
);
CREATE INDEX kind_has_defaults ON holdfast.kind USING btree (tenant, kind) WHERE has_defaults;
CREATE INDEX kind_queue ON holdfast.kind USING btree (tenant, queue);
CREATE INDEX kind_search ON holdfast.kind USING btree (tenant, kind) WHERE (search IS NOT NULL);

create table holdfast.kind_version (
  tenant text not null,
  kind text collate "C" not null,
  version text collate "C" not null,
  first_seen_at timestamp with time zone not null,
  last_seen_at timestamp with time zone not null,
  attempts bigint not null,
  failed bigint not null,
  constraint kind_version_pkey PRIMARY KEY (tenant, kind, version),
  constraint kind_version_tenant_check CHECK (((char_length(tenant) >= 1) AND (char_length(tenant) <= 100)))
) with (fillfactor=70);

create table holdfast.lane (
  id bigint generated always as identity not null,
  head bigint not null,
  queue_id integer not null,
  target text collate "C" not null,
  more bigint[],
  constraint lane_pkey PRIMARY KEY (id),
  constraint lane_queue_id_target_key UNIQUE (queue_id, target)
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000, fillfactor=70, vacuum_truncate=false);

create table holdfast.lane_todo (
  lane bigint not null,
  ended bigint not null
);

create table holdfast.lease (
  id bigint not null,
  worker_id integer not null,
  lease_ms integer not null,
  opened_at timestamp with time zone not null,
  heartbeat_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  job_id bigint,
  queue_id integer,
  for_tenant text,
  server_started timestamp with time zone,
  opened_xid xid8,
  constraint lease_pkey PRIMARY KEY (id),
  constraint lease_for_tenant_check CHECK (((char_length(for_tenant) >= 1) AND (char_length(for_tenant) <= 100)))
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000, fillfactor=50, vacuum_truncate=false);

create table holdfast.migration (
  version integer not null,
  name text not null,
  applied_at timestamp with time zone not null,
  package text not null,
  constraint migration_pkey PRIMARY KEY (version)
);

create table holdfast.move (
  only_one boolean default true not null,
  id text not null,
  role text not null,
  peer text not null,
  copied text[] default '{}'::text[] not null,
  started_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint move_pkey PRIMARY KEY (only_one),
  constraint move_only_one_check CHECK (only_one),
  constraint move_role_check CHECK ((role = ANY (ARRAY['source'::text, 'destination'::text])))
);

create table holdfast.outbox (
  id bigint generated always as identity not null,
  job_id bigint not null,
  queue_id integer not null,
  created_at timestamp with time zone not null,
  trigger text not null,
  due_at timestamp with time zone default '-infinity'::timestamp with time zone not null,
  sends integer default 0 not null,
  constraint outbox_pkey PRIMARY KEY (id)
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000, vacuum_truncate=false);
CREATE INDEX outbox_due ON holdfast.outbox USING btree (queue_id, due_at, id);
CREATE INDEX outbox_job ON holdfast.outbox USING btree (job_id);

create table holdfast.partition (
  lo bigint not null,
  hi bigint not null,
  looked_at timestamp with time zone,
  constraint partition_pkey PRIMARY KEY (lo)
);

create unlogged table holdfast.presence (
  worker_id integer not null,
  tenant text not null,
  host text not null,
  pid integer not null,
  version text not null,
  kinds text[] not null,
  queues text[] not null,
  slots integer not null,
  busy integer not null,
  lag_ms integer not null,
  draining boolean not null,
  started_at timestamp with time zone not null,
  heartbeat_at timestamp with time zone not null,
  over_http boolean default false not null,
  app_version text,
  constraint presence_pkey PRIMARY KEY (worker_id, tenant),
  constraint presence_app_version_check CHECK (((char_length(app_version) >= 1) AND (char_length(app_version) <= 256))),
  constraint presence_tenant_check CHECK (((char_length(tenant) >= 1) AND (char_length(tenant) <= 100)))
) with (fillfactor=50);

create table holdfast.preset (
  preset text not null,
  order_by text not null,
  max_retries integer,
  retry_base_ms bigint,
  retry_factor double precision default 2 not null,
  retry_cap_ms bigint,
  jitter_low double precision not null,
  jitter_high double precision not null,
  lease_ms integer,
  heartbeat_ms integer,
  renewed_by text not null,
  on_lease_lost text default 'retry'::text not null,
  crash_budget integer default 3,
  on_cancel text default 'cancel'::text not null,
  on_shutdown text default 'release'::text not null,
  serialize_targets boolean not null,
  on_error text default 'continue'::text not null,
  dedup text default 'return_existing'::text not null,
  dedup_by text default 'key'::text not null,
  strict boolean default false not null,
  timeout_ms integer,
  items_key text,
  external_trigger text,
  max_running integer,
  max_running_per_target integer default 1 not null,
  rate_limit integer,
  rate_period_ms integer default 1000 not null,
  rate_burst integer,
  rate_per_key boolean default false not null,
  retention_ms bigint default 604800000,
  record_starts boolean default false not null,
  unknown_kinds text default 'refuse'::text not null,
  constraint preset_pkey PRIMARY KEY (preset),
  constraint preset_check CHECK (((jitter_high >= jitter_low) AND (jitter_high <= (1)::double precision))),
  constraint preset_crash_budget_check CHECK ((crash_budget > 0)),
  constraint preset_dedup_by_check CHECK ((dedup_by = ANY (ARRAY['key'::text, 'subject'::text]))),
  constraint preset_dedup_check CHECK ((dedup = ANY (ARRAY['return_existing'::text, 'replace'::text, 'reject'::text]))),
  constraint preset_heartbeat_ms_check CHECK ((heartbeat_ms > 0)),
  constraint preset_jitter_low_check CHECK (((jitter_low >= ('-1'::integer)::double precision) AND (jitter_low <= (1)::double precision))),
  constraint preset_lease_ms_check CHECK (((lease_ms >= 1000) AND (lease_ms <= 86400000))),
  constraint preset_max_retries_check CHECK (((max_retries >= 0) AND (max_retries <= 1000))),
  constraint preset_max_running_check CHECK ((max_running > 0)),
  constraint preset_max_running_per_target_check CHECK (((max_running_per_target >= 1) AND (max_running_per_target <= 1000))),
  constraint preset_on_cancel_check CHECK ((on_cancel = ANY (ARRAY['cancel'::text, 'pause'::text]))),
  constraint preset_on_error_check CHECK ((on_error = ANY (ARRAY['continue'::text, 'block'::text]))),
  constraint preset_on_lease_lost_check CHECK ((on_lease_lost = ANY (ARRAY['retry'::text, 'count'::text, 'error'::text]))),
  constraint preset_on_shutdown_check CHECK ((on_shutdown = ANY (ARRAY['release'::text, 'pause'::text]))),
  constraint preset_order_by_check CHECK ((order_by = ANY (ARRAY['priority'::text, 'fifo'::text, 'global_fifo'::text]))),
  constraint preset_rate_burst_check CHECK ((rate_burst > 0)),
  constraint preset_rate_limit_check CHECK ((rate_limit > 0)),
  constraint preset_rate_period_ms_check CHECK ((rate_period_ms > 0)),
  constraint preset_renewed_by_check CHECK ((renewed_by = ANY (ARRAY['heartbeat'::text, 'report'::text, 'nothing'::text]))),
  constraint preset_retention_ms_check CHECK ((retention_ms > 0)),
  constraint preset_retry_base_ms_check CHECK ((retry_base_ms >= 0)),
  constraint preset_retry_cap_ms_check CHECK ((retry_cap_ms >= 0)),
  constraint preset_retry_factor_check CHECK (((retry_factor >= (1)::double precision) AND (retry_factor <= (100)::double precision))),
  constraint preset_timeout_ms_check CHECK ((timeout_ms > 0)),
  constraint preset_unknown_kinds_check CHECK ((unknown_kinds = ANY (ARRAY['refuse'::text, 'accept'::text])))
);

create table holdfast.progress (
  job_id bigint not null,
  progress_count bigint default 0 not null,
  result_count bigint default 0 not null,
  tokens_used bigint default 0 not null,
  last_progress_at timestamp with time zone not null,
  cursor jsonb,
  progress jsonb,
  last_report text,
  constraint progress_pkey PRIMARY KEY (job_id)
);

create table holdfast.queue (
  id integer generated always as identity not null,
  tenant text not null,
  name text not null,
  preset text not null,
  order_by text not null,
  max_retries integer,
  retry_base_ms bigint,
  retry_factor double precision default 2 not null,
  retry_cap_ms bigint,
  jitter_low double precision not null,
  jitter_high double precision not null,
  lease_ms integer,
  heartbeat_ms integer,
  renewed_by text not null,
  on_lease_lost text default 'retry'::text not null,
  crash_budget integer default 3,
  on_cancel text default 'cancel'::text not null,
  on_shutdown text default 'release'::text not null,
  serialize_targets boolean not null,
  on_error text default 'continue'::text not null,
  dedup text default 'return_existing'::text not null,
  dedup_by text default 'key'::text not null,
  strict boolean default false not null,
  timeout_ms integer,
  items_key text,
  external_trigger text,
  max_running integer,
  max_running_per_target integer default 1 not null,
  rate_limit integer,
  rate_period_ms integer default 1000 not null,
  rate_burst integer,
  rate_per_key boolean default false not null,
  retention_ms bigint default 604800000,
  record_starts boolean default false not null,
  unknown_kinds text default 'refuse'::text not null,
  paused_at timestamp with time zone,
  paused_by text,
  pause_reason text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  limited boolean default false not null,
  constraint queue_pkey PRIMARY KEY (id),
  constraint queue_tenant_name_key UNIQUE (tenant, name),
  constraint preset_check CHECK (((jitter_high >= jitter_low) AND (jitter_high <= (1)::double precision))),
  constraint preset_crash_budget_check CHECK ((crash_budget > 0)),
  constraint preset_dedup_by_check CHECK ((dedup_by = ANY (ARRAY['key'::text, 'subject'::text]))),
  constraint preset_dedup_check CHECK ((dedup = ANY (ARRAY['return_existing'::text, 'replace'::text, 'reject'::text]))),
  constraint preset_heartbeat_ms_check CHECK ((heartbeat_ms > 0)),
  constraint preset_jitter_low_check CHECK (((jitter_low >= ('-1'::integer)::double precision) AND (jitter_low <= (1)::double precision))),
  constraint preset_lease_ms_check CHECK (((lease_ms >= 1000) AND (lease_ms <= 86400000))),
  constraint preset_max_retries_check CHECK (((max_retries >= 0) AND (max_retries <= 1000))),
  constraint preset_max_running_check CHECK ((max_running > 0)),
  constraint preset_max_running_per_target_check CHECK (((max_running_per_target >= 1) AND (max_running_per_target <= 1000))),
  constraint preset_on_cancel_check CHECK ((on_cancel = ANY (ARRAY['cancel'::text, 'pause'::text]))),
  constraint preset_on_error_check CHECK ((on_error = ANY (ARRAY['continue'::text, 'block'::text]))),
  constraint preset_on_lease_lost_check CHECK ((on_lease_lost = ANY (ARRAY['retry'::text, 'count'::text, 'error'::text]))),
  constraint preset_on_shutdown_check CHECK ((on_shutdown = ANY (ARRAY['release'::text, 'pause'::text]))),
  constraint preset_order_by_check CHECK ((order_by = ANY (ARRAY['priority'::text, 'fifo'::text, 'global_fifo'::text]))),
  constraint preset_rate_burst_check CHECK ((rate_burst > 0)),
  constraint preset_rate_limit_check CHECK ((rate_limit > 0)),
  constraint preset_rate_period_ms_check CHECK ((rate_period_ms > 0)),
  constraint preset_renewed_by_check CHECK ((renewed_by = ANY (ARRAY['heartbeat'::text, 'report'::text, 'nothing'::text]))),
  constraint preset_retention_ms_check CHECK ((retention_ms > 0)),
  constraint preset_retry_base_ms_check CHECK ((retry_base_ms >= 0)),
  constraint preset_retry_cap_ms_check CHECK ((retry_cap_ms >= 0)),
  constraint preset_retry_factor_check CHECK (((retry_factor >= (1)::double precision) AND (retry_factor <= (100)::double precision))),
  constraint preset_timeout_ms_check CHECK ((timeout_ms > 0)),
  constraint preset_unknown_kinds_check CHECK ((unknown_kinds = ANY (ARRAY['refuse'::text, 'accept'::text]))),
  constraint queue_name_check CHECK ((name ~ '^[A-Za-z0-9_.:-]{1,100}$'::text)),
  constraint queue_tenant_check CHECK (((char_length(tenant) >= 1) AND (char_length(tenant) <= 100)))
);
CREATE INDEX queue_global ON holdfast.queue USING btree (id) WHERE (order_by = 'global_fifo'::text);
CREATE INDEX queue_limited ON holdfast.queue USING btree (id) WHERE limited;

create table holdfast.queue_minute (
  queue_id integer not null,
  minute timestamp with time zone not null,
  enqueued integer not null,
  started integer not null,
  succeeded integer not null,
  failed integer not null,
  canceled integer not null,
  ended_after_failures integer not null,
  succeeded_after_failures integer not null,
  attempts_failed integer not null,
  attempts_lost integer not null,
  wait_ms bigint not null,
  waits integer not null,
  run_ms bigint not null,
  runs integer not null,
  constraint queue_minute_pkey PRIMARY KEY (queue_id, minute)
) with (fillfactor=70);
CREATE INDEX queue_minute_age ON holdfast.queue_minute USING btree (minute);

create table holdfast.rate (
  queue_id integer not null,
  key text collate "C" not null,
  tokens double precision not null,
  filled_at timestamp with time zone not null,
  booked_until timestamp with time zone,
  constraint rate_pkey PRIMARY KEY (queue_id, key)
) with (fillfactor=50);

create table holdfast.ready (
  job_id bigint not null,
  lane bigint,
  ord bigint,
  queue_id integer not null,
  attempt integer not null,
  interruptions integer not null,
  priority smallint not null,
  failures smallint not null,
  losses smallint not null,
  keyed boolean not null,
  level smallint not null,
  since timestamp with time zone
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=20000, vacuum_truncate=false);
CREATE UNIQUE INDEX ready_order ON holdfast.ready USING btree (queue_id, level, job_id);
CREATE INDEX ready_returned ON holdfast.ready USING btree (queue_id, level, job_id) WHERE (since IS NOT NULL);

create table holdfast.reconcile_turn (
  tenant text not null,
  trigger text not null,
  next_at timestamp with time zone not null,
  constraint reconcile_turn_pkey PRIMARY KEY (tenant, trigger)
);

create table holdfast.revoked (
  lease bigint not null,
  job_id bigint not null,
  attempt integer not null
);

create table holdfast.running (
  job_id bigint not null,
  lane bigint,
  ord bigint,
  lease bigint not null,
  claimed_at timestamp with time zone not null,
  started_at timestamp with time zone,
  queue_id integer not null,
  attempt integer not null,
  interruptions integer not null,
  worker_id integer not null,
  priority smallint not null,
  failures smallint not null,
  losses smallint not null,
  keyed boolean not null,
  own_lease boolean not null,
  limited boolean default false not null,
  unstarted boolean default false not null,
  cancel_requested boolean default false not null,
  cancel_reason text,
  constraint running_pkey PRIMARY KEY (job_id)
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=20000, vacuum_truncate=false);
CREATE INDEX running_cancel ON holdfast.running USING btree (lease) WHERE cancel_requested;
CREATE UNIQUE INDEX running_lane ON holdfast.running USING btree (lane) WHERE (lane IS NOT NULL);
CREATE INDEX running_limited ON holdfast.running USING btree (queue_id) WHERE limited;

create table holdfast.saved_view (
  id bigint generated always as identity not null,
  tenant text not null,
  name text not null,
  q text not null,
  columns text[],
  sort text,
  created_at timestamp with time zone not null,
  created_by text,
  updated_at timestamp with time zone not null,
  updated_by text,
  constraint saved_view_pkey PRIMARY KEY (id),
  constraint saved_view_tenant_name_key UNIQUE (tenant, name),
  constraint saved_view_columns_check CHECK ((cardinality(columns) <= 30)),
  constraint saved_view_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
  constraint saved_view_q_check CHECK ((char_length(q) <= 2000)),
  constraint saved_view_sort_check CHECK ((char_length(sort) <= 100)),
  constraint saved_view_tenant_check CHECK ((tenant ~ '^[A-Za-z0-9_.:-]{1,100}$'::text))
);

create table holdfast.schedule (
  id bigint generated always as identity not null,
  tenant text not null,
  name text not null,
  description text,
  queue text not null,
  kind text not null,
  input jsonb not null,
  subject text,
  priority smallint,
  key text,
  target text,
  expression text not null,
  time_zone text not null,
  enabled boolean not null,
  paused_at timestamp with time zone,
  paused_by text,
  pause_note text,
  catch_up text not null,
  catch_up_max integer not null,
  overlap text not null,
  jitter_ms integer not null,
  next_slot timestamp with time zone not null,
  next_run_at timestamp with time zone not null,
  last_run_at timestamp with time zone,
  quiet_until timestamp with time zone,
  waiting_slot timestamp with time zone,
  revision integer not null,
  declared jsonb,
  overrides text[] default '{}'::text[] not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  created_by text,
  constraint schedule_pkey PRIMARY KEY (id),
  constraint schedule_tenant_name_key UNIQUE (tenant, name),
  constraint schedule_catch_up_check CHECK ((catch_up = ANY (ARRAY['skip'::text, 'latest'::text, 'all'::text]))),
  constraint schedule_catch_up_max_check CHECK (((catch_up_max >= 1) AND (catch_up_max <= 1000))),
  constraint schedule_description_check CHECK ((char_length(description) <= 1000)),
  constraint schedule_expression_check CHECK (((char_length(expression) >= 1) AND (char_length(expression) <= 256))),
  constraint schedule_jitter_ms_check CHECK (((jitter_ms >= 0) AND (jitter_ms <= 86400000))),
  constraint schedule_key_check CHECK (((char_length(key) >= 1) AND (char_length(key) <= 256))),
  constraint schedule_kind_check CHECK ((kind ~ '^[A-Za-z0-9_.:-]{1,100}$'::text)),
  constraint schedule_name_check CHECK (((name ~ '^[A-Za-z0-9_.:-]+( [A-Za-z0-9_.:-]+)*$'::text) AND (char_length(name) <= 100))),
  constraint schedule_overlap_check CHECK ((overlap = ANY (ARRAY['allow'::text, 'skip'::text, 'queue_one'::text, 'cancel_old'::text]))),
  constraint schedule_priority_check CHECK (((priority >= 0) AND (priority <= 100))),
  constraint schedule_queue_check CHECK ((queue ~ '^[A-Za-z0-9_.:-]{1,100}$'::text)),
  constraint schedule_subject_check CHECK (((char_length(subject) >= 1) AND (char_length(subject) <= 256))),
  constraint schedule_target_check CHECK (((char_length(target) >= 1) AND (char_length(target) <= 256))),
  constraint schedule_tenant_check CHECK ((tenant ~ '^[A-Za-z0-9_.:-]{1,100}$'::text)),
  constraint schedule_time_zone_check CHECK (((char_length(time_zone) >= 1) AND (char_length(time_zone) <= 64)))
);
CREATE INDEX schedule_due ON holdfast.schedule USING btree (next_run_at) WHERE (enabled AND (paused_at IS NULL));
CREATE INDEX schedule_waiting ON holdfast.schedule USING btree (waiting_slot) WHERE (waiting_slot IS NOT NULL);

create table holdfast.schedule_window (
  tenant text not null,
  since timestamp with time zone not null,
  until timestamp with time zone,
  paused_by text,
  note text,
  constraint schedule_window_pkey PRIMARY KEY (tenant),
  constraint schedule_window_tenant_check CHECK ((tenant ~ '^[A-Za-z0-9_.:-]{1,100}$'::text))
);

create table holdfast.search_value (
  hash bigint not null,
  job_id bigint not null,
  queue_id integer not null,
  constraint search_value_pkey PRIMARY KEY (hash, job_id)
);
CREATE INDEX search_value_job ON holdfast.search_value USING brin (job_id);

create table holdfast.setting (
  name text not null,
  value jsonb not null,
  updated_at timestamp with time zone not null,
  updated_by text,
  constraint setting_pkey PRIMARY KEY (name)
);

create table holdfast.stat (
  tenant text not null,
  minutes smallint not null,
  queue_id integer not null,
  at timestamp with time zone not null,
  kind text collate "C" not null,
  enqueued integer not null,
  started integer not null,
  succeeded integer not null,
  failed integer not null,
  canceled integer not null,
  attempts integer not null,
  attempts_failed integer not null,
  attempts_lost integer not null,
  wait_times integer[] not null,
  run_times integer[] not null,
  constraint stat_pkey PRIMARY KEY (tenant, minutes, queue_id, at, kind),
  constraint stat_minutes_check CHECK ((minutes = ANY (ARRAY[1, 15, 60]))),
  constraint stat_tenant_check CHECK (((char_length(tenant) >= 1) AND (char_length(tenant) <= 100)))
) with (fillfactor=70);
CREATE INDEX stat_age ON holdfast.stat USING btree (minutes, at);
CREATE INDEX stat_kind ON holdfast.stat USING btree (tenant, minutes, kind, at) WHERE (queue_id > 0);

create table holdfast.subject (
  id bigint generated always as identity not null,
  queue_id integer not null,
  name text collate "C" not null,
  kind text not null,
  input jsonb not null,
  priority smallint not null,
  last_success_at timestamp with time zone,
  last_job_id bigint,
  stale_after_ms bigint,
  enabled boolean not null,
  added_at timestamp with time zone not null,
  added_by text,
  enqueued_at timestamp with time zone,
  constraint subject_pkey PRIMARY KEY (id),
  constraint subject_queue_id_name_key UNIQUE (queue_id, name),
  constraint subject_input_check CHECK (((pg_column_size(input) <= 1048576) OR (octet_length((input)::text) <= 1572864))),
  constraint subject_kind_check CHECK (((char_length(kind) >= 1) AND (char_length(kind) <= 100))),
  constraint subject_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 256))),
  constraint subject_priority_check CHECK (((priority >= 0) AND (priority <= 100))),
  constraint subject_stale_after_ms_check CHECK ((stale_after_ms > 0))
);
CREATE INDEX subject_age ON holdfast.subject USING btree (COALESCE(last_success_at, added_at)) WHERE enabled;
CREATE INDEX subject_own_time ON holdfast.subject USING btree (stale_after_ms) WHERE (enabled AND (stale_after_ms IS NOT NULL));

create table holdfast.tenant (
  name text not null,
  max_running integer,
  updated_at timestamp with time zone not null,
  max_live_jobs integer,
  enqueues_per_second integer,
  payload_bytes_max integer,
  constraint tenant_pkey PRIMARY KEY (name),
  constraint tenant_enqueues_per_second_check CHECK ((enqueues_per_second > 0)),
  constraint tenant_max_live_jobs_check CHECK ((max_live_jobs > 0)),
  constraint tenant_max_running_check CHECK ((max_running > 0)),
  constraint tenant_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
  constraint tenant_payload_bytes_max_check CHECK (((payload_bytes_max >= 1) AND (payload_bytes_max <= 1048576)))
);

create table holdfast.turn (
  name text not null,
  constraint turn_pkey PRIMARY KEY (name)
);

create table holdfast.web_session (
  id bigint generated always as identity not null,
  tenant text not null,
  hash bytea not null,
  key_id bigint,
  proof bytea,
  idle interval not null,
  created_at timestamp with time zone not null,
  used_at timestamp with time zone not null,
  ends_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint web_session_pkey PRIMARY KEY (id),
  constraint web_session_hash_key UNIQUE (hash),
  constraint web_session_key_id_fkey FOREIGN KEY (key_id) REFERENCES holdfast.api_key(id) ON DELETE CASCADE,
  constraint web_session_check CHECK (((key_id IS NULL) = (proof IS NOT NULL))),
  constraint web_session_hash_check CHECK ((octet_length(hash) = 32)),
  constraint web_session_proof_check CHECK ((octet_length(proof) = 32)),
  constraint web_session_tenant_check CHECK ((tenant ~ '^([A-Za-z0-9_.:-]{1,100}|\*)$'::text))
);
CREATE INDEX web_session_expiry ON holdfast.web_session USING btree (expires_at);
CREATE INDEX web_session_key ON holdfast.web_session USING btree (COALESCE(key_id, (0)::bigint), used_at);

create table holdfast.webhook (
  id bigint generated always as identity not null,
  tenant text not null,
  name text not null,
  url text not null,
  secret text not null,
  rules text[],
  enabled boolean default true not null,
  created_at timestamp with time zone not null,
  created_by text,
  constraint webhook_pkey PRIMARY KEY (id),
  constraint webhook_tenant_name_key UNIQUE (tenant, name),
  constraint webhook_name_check CHECK ((name ~ '^[A-Za-z0-9_.:-]{1,100}$'::text)),
  constraint webhook_rules_check CHECK (((cardinality(rules) >= 1) AND (cardinality(rules) <= 50))),
  constraint webhook_secret_check CHECK (((char_length(secret) >= 20) AND (char_length(secret) <= 200))),
  constraint webhook_tenant_check CHECK ((tenant ~ '^([A-Za-z0-9_.:-]{1,100}|\*)$'::text)),
  constraint webhook_url_check CHECK (((char_length(url) >= 1) AND (char_length(url) <= 2000)))
);

create table holdfast.webhook_delivery (
  id bigint generated always as identity not null,
  webhook_id bigint not null,
  tenant text not null,
  alert_id bigint not null,
  event_id bigint not null,
  type text not null,
  state text not null,
  attempts integer default 0 not null,
  created_at timestamp with time zone not null,
  next_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  status integer,
  error text,
  constraint webhook_delivery_pkey PRIMARY KEY (id),
  constraint webhook_delivery_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'delivered'::text, 'failed'::text, 'dropped'::text]))),
  constraint webhook_delivery_tenant_check CHECK (((char_length(tenant) >= 1) AND (char_length(tenant) <= 100))),
  constraint webhook_delivery_type_check CHECK ((type = ANY (ARRAY['firing'::text, 'cleared'::text])))
) with (fillfactor=70);
CREATE INDEX webhook_delivery_due ON holdfast.webhook_delivery USING btree (tenant, next_at) WHERE (state = 'waiting'::text);
CREATE INDEX webhook_delivery_line ON holdfast.webhook_delivery USING btree (webhook_id, alert_id, id) WHERE (state = 'waiting'::text);
CREATE INDEX webhook_delivery_webhook ON holdfast.webhook_delivery USING btree (webhook_id, id);

create table holdfast.worker (
  id integer generated always as identity not null,
  name text not null,
  created_at timestamp with time zone not null,
  constraint worker_pkey PRIMARY KEY (id),
  constraint worker_name_key UNIQUE (name),
  constraint worker_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 256)))
);

create table holdfast.worker_version (
  tenant text not null,
  worker_id integer not null,
  since timestamp with time zone not null,
  version text not null,
  constraint worker_version_pkey PRIMARY KEY (tenant, worker_id, since),
  constraint worker_version_tenant_check CHECK (((char_length(tenant) >= 1) AND (char_length(tenant) <= 100))),
  constraint worker_version_version_check CHECK (((char_length(version) >= 1) AND (char_length(version) <= 256)))
);

-- functions

create function holdfast.abort_bulk(p_operation bigint, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text)
  returns void
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.accepting_writes_since()
  returns timestamp with time zone
  language sql stable
  set search_path=pg_catalog, pg_temp;

create function holdfast.add_alert_deliveries(p_alert bigint, p_type text, p_now timestamp with time zone)
  returns void
  language sql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.add_alert_event(p_alert bigint, p_type text, p_now timestamp with time zone, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text, p_data jsonb DEFAULT NULL::jsonb)
  returns void
  language sql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.add_event(p_type text, p_job bigint, p_queue integer, p_actor text, p_reason text, p_data jsonb DEFAULT NULL::jsonb)
  returns void
  language sql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.add_schedule_event(p_type text, p_tenant text, p_name text, p_actor text, p_reason text, p_data jsonb DEFAULT '{}'::jsonb)
  returns void
  language sql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.add_subject(p_queue integer, p_name text, p_kind text, p_input jsonb DEFAULT 'null'::jsonb, p_priority integer DEFAULT 0, p_stale_after_ms bigint DEFAULT NULL::bigint, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text)
  returns bigint
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.add_tenant_event(p_type text, p_tenant text, p_actor text, p_reason text, p_data jsonb)
  returns void
  language sql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.add_times(p_one integer[], p_other integer[])
  returns integer[]
  language sql immutable
  set search_path=pg_catalog, pg_temp;

create function holdfast.add_webhook(p_tenant text, p_name text, p_url text, p_secret text, p_rules text[] DEFAULT NULL::text[], p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text)
  returns bigint
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.adopt_events()
  returns void
  language plpgsql volatile
  set enable_seqscan=on
  set enable_sort=on
  set search_path=pg_catalog, pg_temp;

create function holdfast.age(p_after interval DEFAULT '01:00:00'::interval, p_step integer DEFAULT 10, p_cap integer DEFAULT 100, p_every interval DEFAULT '00:05:00'::interval, p_per_level integer DEFAULT 1000)
  returns integer
  language plpgsql volatile security definer
  set enable_bitmapscan=off
  set enable_hashjoin=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set enable_sort=off
  set jit=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.alert_backlog()
  returns TABLE(tenant text, rule text, subject text, value numeric, data jsonb)
  language sql stable
  set enable_bitmapscan=off
  set enable_hashjoin=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set jit=off
  set search_path=pg_catalog, pg_temp;

create function holdfast.alert_blocked()
  returns TABLE(tenant text, rule text, subject text, value numeric, data jsonb)
  language sql stable
  set enable_bitmapscan=off
  set enable_hashjoin=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set enable_sort=off
  set jit=off
  set search_path=pg_catalog, pg_temp;

create function holdfast.alert_calms(p_alert bigint, p_clear_sec integer, p_now timestamp with time zone)
  returns integer
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.alert_defaults()
  returns TABLE(rule text, threshold numeric)
  language sql stable
  set search_path=pg_catalog, pg_temp;

create function holdfast.alert_gauges(p_limit integer DEFAULT 1000)
  returns TABLE(tenant text, rule text, subject text, value numeric)
  language plpgsql stable security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.alert_holds(p_tenant text, p_rule text, p_subject text, p_value numeric, p_threshold numeric, p_data jsonb, p_for_sec integer, p_now timestamp with time zone)
  returns integer
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.alert_late()
  returns TABLE(tenant text, rule text, subject text, value numeric, data jsonb)
  language sql stable
  set enable_bitmapscan=off
  set enable_seqscan=off
  set jit=off
  set search_path=pg_catalog, pg_temp;

create function holdfast.alert_long()
  returns TABLE(tenant text, rule text, subject text, value numeric, data jsonb)
  language sql stable
  set jit=off
  set search_path=pg_catalog, pg_temp;

create function holdfast.alert_rates()
  returns TABLE(tenant text, rule text, subject text, value numeric, data jsonb)
  language sql stable
  set enable_bitmapscan=off
  set enable_seqscan=off
  set jit=off
  set search_path=pg_catalog, pg_temp;

create function holdfast.alert_values()
  returns TABLE(tenant text, rule text, subject text, value numeric, data jsonb)
  language sql stable
  set search_path=pg_catalog, pg_temp;

create function holdfast.all_levels()
  returns smallint[]
  language sql immutable;

create function holdfast.append_to_lanes(p_lanes bigint[], p_fresh bigint[], p_targets text[], p_rows holdfast.live[])
  returns integer
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.apply_bulk(p_operation bigint, p_runner text, p_page integer, p_jobs bigint[], p_cursor text, p_jobs_max integer DEFAULT 100000, p_lease interval DEFAULT '00:00:15'::interval, p_states text[] DEFAULT NULL::text[], OUT applied boolean, OUT state text, OUT queues text[], OUT jobs integer)
  returns record
  language plpgsql volatile security definer
  set enable_bitmapscan=off
  set enable_hashjoin=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set jit=off
  set lock_timeout=500ms
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.at_slot(p_schedule bigint, p_revision integer, p_slot timestamp with time zone, p_next timestamp with time zone, OUT schedule holdfast.schedule, OUT problem text)
  returns record
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.attempts_fit(p_terms jsonb, p_id bigint)
  returns boolean
  language plpgsql stable
  set search_path=pg_catalog, pg_temp;

create function holdfast.authenticate(p_hash bytea)
  returns TABLE(id bigint, tenant text, name text, scopes text[], rate_limit integer, expires_at timestamp with time zone, state text)
  language plpgsql volatile security definer
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.backoff_ms(p_failures integer, p_base_ms bigint, p_factor double precision, p_cap_ms bigint, p_jitter_low double precision, p_jitter_high double precision, p_random double precision)
  returns bigint
  language sql immutable;

create function holdfast.blocked_targets(p_tenant text, p_limit integer)
  returns TABLE(type text, subject jsonb, since timestamp with time zone, numbers jsonb, error jsonb, data jsonb)
  language plpgsql stable
  set search_path=pg_catalog, pg_temp;

create function holdfast.boost(p_job bigint, p_by integer, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text)
  returns smallint
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.bulk_may_apply(p_command text, p_state holdfast.state)
  returns boolean
  language sql immutable
  set search_path=pg_catalog, pg_temp;

create function holdfast.cancel(p_job bigint, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text, p_if_state holdfast.state DEFAULT NULL::holdfast.state, OUT result text, OUT state holdfast.state)
  returns record
  language plpgsql volatile security definer
  set enable_bitmapscan=off
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.candidates_by_attempt(p_term jsonb, p_from bigint, p_before bigint)
  returns bigint[]
  language plpgsql stable
  set search_path=pg_catalog, pg_temp;

create function holdfast.candidates_by_end(p_states text[], p_queues integer[], p_at timestamp with time zone, p_id bigint, p_since timestamp with time zone, p_window integer, OUT ids bigint[], OUT floor bigint, OUT at timestamp with time zone)
  returns record
  language plpgsql stable
  set search_path=pg_catalog, pg_temp;

create function holdfast.candidates_by_index(p_index jsonb, p_from bigint, p_before bigint, p_window integer, OUT ids bigint[], OUT floor bigint)
  returns record
  language plpgsql stable
  set search_path=pg_catalog, pg_temp;

create function holdfast.candidates_by_place(p_states text[], p_queues integer[], p_from bigint, p_before bigint, p_window integer, OUT ids bigint[], OUT floor bigint)
  returns record
  language plpgsql stable
  set search_path=pg_catalog, pg_temp;

create function holdfast.change_queue(p_queue integer, p_preset text DEFAULT NULL::text, p_policy jsonb DEFAULT '{}'::jsonb, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text)
  returns void
  language plpgsql volatile security definer
  set lock_timeout=250ms
  set search_path=pg_catalog, pg_temp;

create function holdfast.change_schedule(p_schedule bigint, p_revision integer, p_fields jsonb, p_next timestamp with time zone DEFAULT NULL::timestamp with time zone, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text)
  returns boolean
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.change_view(p_view bigint, p_changes jsonb, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text)
  returns void
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.check_alerts()
  returns integer
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.check_keys(p_rows holdfast.new_job[], p_all boolean)
  returns void
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.check_policy(p_policy jsonb)
  returns void
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.check_sight(p_all boolean)
  returns void
  language plpgsql stable
  set search_path=pg_catalog, pg_temp;

create function holdfast.check_tenant(p_tenant text)
  returns void
  language plpgsql stable
  set search_path=pg_catalog, pg_temp;

create function holdfast.claim(p_worker text, p_lease bigint, p_queues integer[], p_limit integer DEFAULT 1, p_lease_ms integer DEFAULT NULL::integer, p_hint_levels smallint[] DEFAULT NULL::smallint[], p_hint_jobs bigint[] DEFAULT NULL::bigint[], p_since xid8 DEFAULT NULL::xid8)
  returns TABLE(job_id bigint, attempt integer, lease bigint, expires_at timestamp with time zone, queue_id integer, kind text, input jsonb, key text, target text, subject text, created_at timestamp with time zone, timeout_ms integer, token_limit bigint, item_goal bigint, trace text, priority smallint, failures smallint, losses smallint, interruptions integer, progress jsonb, level smallint, fresh boolean)
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.claim_batch(p_worker text, p_lease bigint, p_queues integer[], p_limit integer, p_lease_ms integer DEFAULT NULL::integer, p_hint_levels smallint[] DEFAULT NULL::smallint[], p_hint_jobs bigint[] DEFAULT NULL::bigint[], p_since xid8 DEFAULT NULL::xid8, p_start_now integer DEFAULT NULL::integer, p_eager boolean DEFAULT false)
  returns TABLE(job_id bigint, queue_id integer, kind text, input jsonb, created_at timestamp with time zone, rest json)
  language plpgsql volatile security definer
  set enable_bitmapscan=off
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.claim_by_id(p_worker text, p_lease bigint, p_job bigint, p_lease_ms integer DEFAULT NULL::integer, p_since xid8 DEFAULT NULL::xid8)
  returns TABLE(job_id bigint, attempt integer, lease bigint, expires_at timestamp with time zone, queue_id integer, kind text, input jsonb, key text, target text, subject text, created_at timestamp with time zone, timeout_ms integer, token_limit bigint, item_goal bigint, trace text, priority smallint, failures smallint, losses smallint, interruptions integer, progress jsonb)
  language plpgsql volatile security definer
  set enable_bitmapscan=off
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.claim_from(p_worker_id integer, p_lease bigint, p_lease_ms integer, p_queues integer[], p_hint_levels smallint[], p_hint_jobs bigint[], p_limit integer, p_per_queue integer, p_limited boolean, p_now timestamp with time zone, OUT jobs bigint[], OUT marks integer[])
  returns record
  language plpgsql volatile
  set enable_bitmapscan=off
  set enable_hashjoin=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set jit=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.claim_oldest(p_worker_id integer, p_lease bigint, p_lease_ms integer, p_queues integer[], p_hint_levels smallint[], p_hint_jobs bigint[], p_limit integer, p_now timestamp with time zone, OUT jobs bigint[], OUT marks integer[])
  returns record
  language plpgsql volatile
  set enable_bitmapscan=off
  set enable_hashjoin=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set jit=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.claim_per_key(p_worker_id integer, p_lease bigint, p_lease_ms integer, p_queue integer, p_limit integer, p_now timestamp with time zone, OUT jobs bigint[], OUT marks integer[])
  returns record
  language plpgsql volatile
  set enable_bitmapscan=off
  set enable_hashjoin=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set jit=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.claim_reconcile_turn(p_tenant text, p_trigger text, p_next_ms bigint, p_force boolean DEFAULT false)
  returns bigint
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.claim_rows(p_worker text, p_lease bigint, p_queues integer[], p_limit integer, p_lease_ms integer, p_hint_levels smallint[], p_hint_jobs bigint[], p_since xid8, OUT jobs bigint[], OUT marks integer[])
  returns record
  language plpgsql volatile
  set enable_bitmapscan=off
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.claimed_jobs(p_jobs bigint[], p_marks integer[])
  returns TABLE(job_id bigint, attempt integer, lease bigint, expires_at timestamp with time zone, queue_id integer, kind text, input jsonb, key text, target text, subject text, created_at timestamp with time zone, timeout_ms integer, token_limit bigint, item_goal bigint, trace text, priority smallint, failures smallint, losses smallint, interruptions integer, progress jsonb, level smallint, fresh boolean)
  language plpgsql volatile
  set enable_bitmapscan=off
  set enable_hashjoin=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set jit=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.clone_job(p_job holdfast.job, p_actor text, OUT id bigint, OUT state holdfast.state)
  returns record
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.close_lease(p_lease bigint, p_reason text DEFAULT 'shutdown'::text, p_started bigint[] DEFAULT NULL::bigint[])
  returns integer
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.close_web_session(p_hash bytea)
  returns boolean
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.command_all(p_operation holdfast.bulk_operation, p_jobs bigint[], p_states holdfast.state[])
  returns integer
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.command_job(p_operation holdfast.bulk_operation, p_job bigint, p_if_state holdfast.state, OUT state holdfast.state, OUT new_job_id bigint)
  returns record
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.complete(p_job bigint, p_attempt integer, p_lease bigint, p_outcome text DEFAULT 'succeeded'::text, p_started_ago_ms integer DEFAULT NULL::integer, p_detail jsonb DEFAULT NULL::jsonb)
  returns holdfast.state
  language plpgsql volatile security definer
  set enable_bitmapscan=off
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.consume_tokens(p_queue integer, p_started integer, p_at timestamp with time zone)
  returns void
  language sql volatile
  set enable_seqscan=off
  set search_path=pg_catalog, pg_temp;

create function holdfast.count_elsewhere(p_max integer)
  returns TABLE(queue_id integer, state text, jobs bigint)
  language sql stable
  set search_path=pg_catalog, pg_temp;

create function holdfast.count_errors(p_cells holdfast.error_cell[], p_now timestamp with time zone)
  returns void
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.count_events(p_page holdfast.event[], p_now timestamp with time zone)
  returns void
  language plpgsql volatile
  set enable_bitmapscan=off
  set enable_mergejoin=off
  set enable_nestloop=off
  set enable_seqscan=off
  set jit=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.count_kinds(p_cells holdfast.stat_cell[], p_now timestamp with time zone)
  returns void
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.count_minutes(p_limit integer DEFAULT 200)
  returns integer
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.count_of(p_count bigint, p_capped boolean)
  returns jsonb
  language sql immutable
  set search_path=pg_catalog, pg_temp;

create function holdfast.count_states(p_jobs bigint[])
  returns TABLE(state holdfast.state, strict boolean, attempted boolean, jobs integer)
  language plpgsql stable security definer
  set enable_bitmapscan=off
  set enable_hashjoin=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set jit=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.count_stats(p_cells holdfast.stat_cell[], p_now timestamp with time zone)
  returns void
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.count_versions(p_cells holdfast.version_cell[])
  returns void
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.counted_to()
  returns timestamp with time zone
  language sql stable security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.create_key(p_tenant text, p_name text, p_hash bytea, p_hint text, p_scopes text[], p_expires_at timestamp with time zone DEFAULT NULL::timestamp with time zone, p_rate_limit integer DEFAULT NULL::integer, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text)
  returns bigint
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.create_queue(p_name text, p_preset text DEFAULT 'default'::text, p_policy jsonb DEFAULT '{}'::jsonb, p_tenant text DEFAULT 'default'::text, p_actor text DEFAULT NULL::text, p_if_missing boolean DEFAULT false)
  returns integer
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.create_schedule(p_tenant text, p_name text, p_fields jsonb, p_next timestamp with time zone, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text, p_if_missing boolean DEFAULT false)
  returns bigint
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.declare_kinds(p_kinds jsonb, p_tenant text DEFAULT 'default'::text, p_actor text DEFAULT NULL::text)
  returns integer
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.depth(p_queues integer[], p_max integer DEFAULT 1000)
  returns integer
  language sql stable security definer
  set enable_bitmapscan=off
  set enable_hashjoin=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set search_path=pg_catalog, pg_temp;

create function holdfast.depth_by_kind(p_queues integer[], p_max integer DEFAULT 1000)
  returns TABLE(queue_id integer, kind text, jobs integer)
  language sql stable security definer
  set enable_bitmapscan=off
  set enable_hashjoin=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set jit=off
  set search_path=pg_catalog, pg_temp;

create function holdfast.discard(p_job bigint, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text)
  returns holdfast.state
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.drain_worker(p_worker text, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text, p_tenant text DEFAULT NULL::text)
  returns boolean
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.due_schedules(p_limit integer DEFAULT 100, p_schedule bigint DEFAULT NULL::bigint)
  returns TABLE(id bigint, revision integer, tenant text, name text, queue text, expression text, time_zone text, catch_up text, catch_up_max integer, jitter_ms integer, next_slot timestamp with time zone, quiet_until timestamp with time zone, waiting boolean, now timestamp with time zone)
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.enable_webhook(p_webhook bigint, p_enabled boolean, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text)
  returns boolean
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.end_attempts(p_jobs bigint[], p_attempts integer[], p_leases bigint[], p_outcomes holdfast.outcome[], p_started_ago_ms integer[], p_details jsonb[])
  returns TABLE(job_id bigint, attempt integer, accepted boolean, state holdfast.state, due_at timestamp with time zone)
  language plpgsql volatile
  set enable_bitmapscan=off
  set enable_hashjoin=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set jit=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.enqueue(p_queue text, p_kind text, p_input jsonb DEFAULT '{}'::jsonb, p_options jsonb DEFAULT '{}'::jsonb, p_tenant text DEFAULT 'default'::text)
  returns bigint
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.enqueue_answer(p_rows holdfast.new_job[])
  returns TABLE(n integer, job_id bigint, status text)
  language sql stable
  set search_path=pg_catalog, pg_temp;

create function holdfast.enqueue_many(p_jobs jsonb, p_tenant text DEFAULT 'default'::text, p_idempotency_key text DEFAULT NULL::text, p_fingerprint text DEFAULT NULL::text, p_settle boolean DEFAULT false, p_plain_queues text[] DEFAULT NULL::text[], p_wait_ms integer DEFAULT NULL::integer, p_wake boolean DEFAULT true, p_by_kind boolean DEFAULT true, p_all boolean DEFAULT false)
  returns TABLE(n integer, job_id bigint, status text)
  language plpgsql volatile security definer
  set enable_seqscan=off
  set jit=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.enqueue_plain(p_jobs jsonb, p_ids bigint[], p_tenant text, p_settle boolean, p_wake boolean)
  returns void
  language plpgsql volatile
  set enable_seqscan=off
  set jit=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.enqueue_scheduled(p_schedule holdfast.schedule, OUT outcome text, OUT job_id bigint)
  returns record
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.enqueue_stale_subjects(p_stale interval DEFAULT '30 days'::interval, p_every interval DEFAULT '06:00:00'::interval, p_limit integer DEFAULT 1000)
  returns integer
  language plpgsql volatile security definer
  set enable_bitmapscan=off
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.events_between(p_from pg_snapshot, p_to pg_snapshot, p_xid xid8, p_id bigint, p_limit integer)
  returns SETOF holdfast.event
  language plpgsql stable
  set enable_seqscan=off
  set enable_sort=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.examined_places(p_examined integer)
  returns TABLE(place text, queue_id integer, state text, jobs bigint, capped boolean)
  language plpgsql stable
  set search_path=pg_catalog, pg_temp;

create function holdfast.expire_keys(p_limit integer DEFAULT 1000)
  returns integer
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.explain(p_job bigint)
  returns TABLE(code text, blocking boolean, sentence text, data jsonb)
  language plpgsql volatile security definer
  set enable_bitmapscan=off
  set enable_hashjoin=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.explain_claimable(p_job holdfast.job, p_queue holdfast.queue, p_now timestamp with time zone)
  returns TABLE(code text, sentence text, data jsonb)
  language plpgsql stable
  set search_path=pg_catalog, pg_temp;

create function holdfast.extra_slots(p_queue integer)
  returns bigint[]
  language sql stable
  set search_path=pg_catalog, pg_temp;

create function holdfast.facets_of(p_jobs bigint[])
  returns TABLE(job_id bigint, state text, queue text, kind text, error_fingerprint text, error_message text, version text)
  language plpgsql stable security definer
  set enable_bitmapscan=off
  set enable_hashjoin=off
  set enable_material=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set enable_sort=off
  set jit=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.failed_without_dead_letter(p_jobs bigint[], p_for_ms bigint DEFAULT 0)
  returns bigint[]
  language plpgsql stable security definer
  set enable_bitmapscan=off
  set enable_hashjoin=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.failing_kinds(p_tenant text, p_limit integer)
  returns TABLE(type text, subject jsonb, since timestamp with time zone, numbers jsonb, error jsonb, data jsonb)
  language plpgsql stable
  set search_path=pg_catalog, pg_temp;

create function holdfast.feed(p_cursor text DEFAULT NULL::text, p_limit integer DEFAULT 500, OUT cursor text, OUT events jsonb)
  returns record
  language plpgsql volatile security definer
  set enable_seqscan=off
  set enable_sort=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.feed_restart(p_from text, p_to text)
  returns holdfast.event
  language sql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.fill_template(p_template text, p_input jsonb, p_name text)
  returns text
  language plpgsql immutable
  set search_path=pg_catalog, pg_temp;

create function holdfast.fill_wide_lane(p_lane bigint, p_ended bigint[])
  returns integer
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.find_jobs(p_tenant text, p_queue integer DEFAULT NULL::integer, p_states text[] DEFAULT NULL::text[], p_kind text DEFAULT NULL::text, p_target text DEFAULT NULL::text, p_key text DEFAULT NULL::text, p_before bigint DEFAULT NULL::bigint, p_limit integer DEFAULT 50, p_window integer DEFAULT 1000, OUT jobs jsonb, OUT next bigint)
  returns record
  language plpgsql stable security definer
  set enable_bitmapscan=off
  set enable_hashjoin=off
  set enable_material=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set enable_sort=off
  set jit=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.find_targets(p_tenant text, p_queue text DEFAULT NULL::text, p_limit integer DEFAULT 100, p_max integer DEFAULT 1000)
  returns TABLE(job_id bigint, queue text, target text, kind text, state holdfast.state, status text, reason text, last_error text, since timestamp with time zone, behind bigint)
  language plpgsql stable security definer
  set enable_bitmapscan=off
  set enable_hashjoin=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set jit=off
  set search_path=pg_catalog, pg_temp;

create function holdfast.finish(p_jobs bigint[], p_attempts integer[], p_leases bigint[], p_outcomes text[], p_started_ago_ms integer[] DEFAULT NULL::integer[], p_details jsonb[] DEFAULT NULL::jsonb[])
  returns TABLE(job_id bigint, attempt integer, accepted boolean, state holdfast.state, due_at timestamp with time zone)
  language plpgsql volatile security definer
  set lock_timeout=2s
  set search_path=pg_catalog, pg_temp;

create function holdfast.finish_succeeded(p_jobs bigint[], p_attempts integer[], p_leases bigint[], p_started_ago_ms integer[] DEFAULT NULL::integer[])
  returns TABLE(job_id bigint, attempt integer)
  language plpgsql volatile security definer
  set lock_timeout=2s
  set search_path=pg_catalog, pg_temp;

create function holdfast.fire_schedule(p_schedule bigint, p_revision integer, p_slot timestamp with time zone, p_next timestamp with time zone, OUT outcome text, OUT job_id bigint)
  returns record
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.fire_unless_overlapping(p_schedule holdfast.schedule, OUT outcome text, OUT job_id bigint, OUT note text)
  returns record
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.fire_waiting(p_schedule bigint, OUT outcome text, OUT job_id bigint)
  returns record
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.flow(p_tenant text, p_max integer DEFAULT 10000)
  returns TABLE(now timestamp with time zone, counted_to timestamp with time zone, places jsonb, ended jsonb, per_minute jsonb, slots integer, busy integer, oldest_ready_at timestamp with time zone, next_due_at timestamp with time zone, counts jsonb)
  language plpgsql stable security definer
  set enable_bitmapscan=off
  set enable_seqscan=off
  set jit=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.flush_wal()
  returns void
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.force_finish(p_job bigint, p_outcome text, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text)
  returns holdfast.state
  language plpgsql volatile security definer
  set enable_bitmapscan=off
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.found_jobs(p_jobs bigint[], p_bytes_max integer DEFAULT 16384)
  returns TABLE(id bigint, queue_id integer, queue text, kind text, state holdfast.state, status text, priority smallint, attempt integer, max_retries integer, key text, target text, lease_owner text, created_at timestamp with time zone, visible_at timestamp with time zone, started_at timestamp with time zone, finished_at timestamp with time zone, reason text, input jsonb, worker text, last_error text, error_class text, error_fingerprint text)
  language plpgsql stable security definer
  set enable_bitmapscan=off
  set enable_hashjoin=off
  set enable_material=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set enable_sort=off
  set jit=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.free_capacity(p_queue integer, p_want integer, OUT may integer, OUT at timestamp with time zone, OUT per_key boolean, OUT metered boolean, OUT busy boolean)
  returns record
  language plpgsql volatile
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.give_priority(p_job bigint, p_to integer, p_by integer)
  returns smallint
  language plpgsql volatile
  set enable_bitmapscan=off
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.global_queues(p_queues integer[], p_levels smallint[], p_jobs bigint[], OUT queues integer[], OUT levels smallint[], OUT jobs bigint[], OUT listed integer[], OUT listed_levels smallint[], OUT listed_jobs bigint[])
  returns record
  language plpgsql stable
  set search_path=pg_catalog, pg_temp;

create function holdfast.grant_tenant(p_role name, p_tenant text, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text)
  returns boolean
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.has_ready(p_queue integer, p_level smallint, p_job bigint)
  returns boolean
  language sql stable
  set enable_bitmapscan=off
  set enable_seqscan=off
  set search_path=pg_catalog, pg_temp;

create function holdfast.has_work(p_queues integer[], p_worker text, p_lease bigint)
  returns boolean
  language plpgsql stable security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.histogram(p_times bigint[])
  returns integer[]
  language sql immutable
  set search_path=pg_catalog, pg_temp;

create function holdfast.hold_lease(p_lease bigint, p_since xid8)
  returns void
  language plpgsql volatile
  set enable_bitmapscan=off
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.id_at(p_time timestamp with time zone)
  returns bigint
  language plpgsql stable
  set search_path=pg_catalog, pg_temp;

create function holdfast.in_maintenance_window(p_tenant text)
  returns boolean
  language sql stable
  set search_path=pg_catalog, pg_temp;

create function holdfast.index_inputs(p_jobs jsonb, p_ids bigint[], p_tenant text)
  returns void
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.insert_free_keys(p_rows holdfast.new_job[], p_wait_ms integer)
  returns holdfast.new_job[]
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.insert_keys(p_rows holdfast.new_job[])
  returns void
  language sql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.is_ahead(p_at timestamp with time zone)
  returns boolean
  language sql stable security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.is_blameless(p_running holdfast.running, p_others boolean)
  returns boolean
  language sql immutable;

create function holdfast.is_later(p_later pg_snapshot, p_earlier pg_snapshot)
  returns boolean
  language sql immutable
  set search_path=pg_catalog, pg_temp;

create function holdfast.is_limited(p_queue holdfast.queue)
  returns boolean
  language sql stable
  set search_path=pg_catalog, pg_temp;

create function holdfast.is_outside(p_ranges jsonb, p_id bigint, p_attempt integer, p_priority smallint, p_created_at timestamp with time zone, p_finished_at timestamp with time zone)
  returns boolean
  language plpgsql stable
  set search_path=pg_catalog, pg_temp;

create function holdfast.is_rising(p_list bigint[])
  returns boolean
  language plpgsql immutable
  set search_path=pg_catalog, pg_temp;

create function holdfast.is_worker_alive(p_at timestamp with time zone)
  returns boolean
  language sql stable security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.jittered(p_slot timestamp with time zone, p_schedule bigint, p_jitter_ms integer)
  returns timestamp with time zone
  language sql immutable
  set search_path=pg_catalog, pg_temp;

create function holdfast.job_fits(p_queues integer[], p_kinds text[], p_not_kinds text[], p_keys text[], p_not_keys text[], p_targets text[], p_not_targets text[], p_path text[], p_values text[], p_queue integer, p_kind text, p_key text, p_target text, p_input jsonb)
  returns boolean
  language sql immutable;

create function holdfast.job_history(p_job bigint)
  returns jsonb
  language plpgsql volatile security definer
  set enable_bitmapscan=off
  set enable_hashjoin=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.keep_subjects(p_jobs bigint[], p_now timestamp with time zone)
  returns void
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.key_held_back(p_queue holdfast.queue, p_key text, p_fresh boolean, p_at timestamp with time zone)
  returns timestamp with time zone
  language sql stable
  set search_path=pg_catalog, pg_temp;

create function holdfast.key_state(p_revoked_at timestamp with time zone, p_expires_at timestamp with time zone)
  returns text
  language sql stable security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.keys_required_since()
  returns timestamp with time zone
  language sql stable security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.late_schedules(p_tenant text, p_limit integer)
  returns TABLE(type text, subject jsonb, since timestamp with time zone, numbers jsonb, error jsonb, data jsonb)
  language plpgsql stable
  set search_path=pg_catalog, pg_temp;

create function holdfast.lease_tenants()
  returns trigger
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.leases_for(p_tenant text, p_leases bigint[])
  returns bigint[]
  language plpgsql stable security definer
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.level_of(p_order_by text, p_priority integer)
  returns smallint
  language sql immutable;

create function holdfast.limits_reached(p_queue holdfast.queue)
  returns TABLE(code text, sentence text, data jsonb)
  language sql stable
  set search_path=pg_catalog, pg_temp;

create function holdfast.live_firings(p_schedule bigint)
  returns bigint[]
  language plpgsql stable
  set search_path=pg_catalog, pg_temp;

create function holdfast.live_kinds(p_tenant text, p_max integer DEFAULT 1000)
  returns TABLE(kind text, jobs bigint, parked bigint)
  language plpgsql stable security definer
  set enable_bitmapscan=off
  set enable_hashjoin=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set jit=off
  set search_path=pg_catalog, pg_temp;

create function holdfast.lock_lanes_of(p_jobs bigint[])
  returns void
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.lock_queues()
  returns void
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.lock_schedule(p_schedule bigint)
  returns holdfast.schedule
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.locked_claims(p_jobs bigint[], p_attempts integer[], p_leases bigint[])
  returns TABLE(job_id bigint, attempt integer)
  language sql volatile security definer
  set enable_bitmapscan=off
  set enable_hashjoin=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.log_lines(p_jobs bigint[], p_attempts integer[], p_leases bigint[], p_texts text[])
  returns integer
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.lost_attempts(p_window interval DEFAULT '01:00:00'::interval)
  returns TABLE(queue_id integer, minute timestamp with time zone, lost integer)
  language sql stable security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.make_error_room(p_cells holdfast.error_cell[], p_now timestamp with time zone)
  returns void
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.make_partitions(p_ahead integer DEFAULT 3)
  returns integer
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.make_room(p_last bigint, p_settle boolean)
  returns void
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.mark_limited(p_queues integer[])
  returns void
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.mark_unstarted(p_jobs bigint[], p_marks integer[], p_queues integer[], p_start_now integer, p_eager boolean, OUT marks integer[], OUT unstarted bigint[])
  returns record
  language plpgsql volatile
  set enable_bitmapscan=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.merged(p_one anyarray, p_other anyarray)
  returns anyarray
  language sql immutable
  set search_path=pg_catalog, pg_temp;

create function holdfast.new_lease_id()
  returns bigint
  language sql volatile;

create function holdfast.next_firing(OUT in_ms double precision, OUT waiting boolean)
  returns record
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.next_state(p_outcome holdfast.outcome, p_cancel_requested boolean, p_started boolean, p_losses integer, p_failures integer, p_max_retries integer, p_queue holdfast.queue)
  returns holdfast.state
  language sql immutable;

create function holdfast.now()
  returns timestamp with time zone
  language sql volatile;

create function holdfast.oldest_snapshot()
  returns TABLE(age_sec numeric, pid integer, who text)
  language sql stable
  set search_path=pg_catalog, pg_temp;

create function holdfast.open_lease(p_worker text, p_lease_ms integer, p_tenant text DEFAULT NULL::text, OUT lease bigint, OUT expires_at timestamp with time zone)
  returns record
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.open_web_session(p_hash bytea, p_key bigint, p_proof bytea, p_idle interval, p_lifetime interval, p_count_max integer)
  returns timestamp with time zone
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.orphans(p_limit integer)
  returns TABLE(job_id bigint, attempt integer, lease bigint)
  language sql volatile
  set enable_hashjoin=on
  set enable_mergejoin=off
  set enable_nestloop=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.outbox_backfill(p_tenant text, p_trigger text, p_limit integer DEFAULT 1000)
  returns integer
  language plpgsql volatile security definer
  set enable_bitmapscan=off
  set enable_hashjoin=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.outbox_counts(p_tenant text DEFAULT NULL::text, p_trigger text DEFAULT NULL::text, p_per_queue integer DEFAULT NULL::integer, p_queues integer DEFAULT 1000, p_max integer DEFAULT 100000)
  returns TABLE(queue_id integer, unsent integer, sent integer, oldest_at timestamp with time zone)
  language sql stable security definer
  set enable_bitmapscan=off
  set enable_seqscan=off
  set jit=off
  set search_path=pg_catalog, pg_temp;

create function holdfast.outbox_requeue(p_jobs bigint[], p_after_ms integer DEFAULT 0)
  returns bigint[]
  language plpgsql volatile security definer
  set enable_bitmapscan=off
  set enable_hashjoin=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.outbox_settle(p_ids bigint[], p_due_in_ms bigint[], p_sent boolean DEFAULT true)
  returns integer
  language plpgsql volatile security definer
  set enable_bitmapscan=off
  set enable_hashjoin=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set jit=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.pause_queue(p_queue integer, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text)
  returns boolean
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.pause_schedule(p_schedule bigint, p_actor text DEFAULT NULL::text, p_note text DEFAULT NULL::text, p_tenant text DEFAULT NULL::text, p_until timestamp with time zone DEFAULT NULL::timestamp with time zone)
  returns boolean
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.payload_fits(p_terms jsonb, p_id bigint, p_key text, p_target text, p_trace text, p_input jsonb, p_labels jsonb)
  returns boolean
  language plpgsql immutable
  set search_path=pg_catalog, pg_temp;

create function holdfast.place_arrivals(p_queues integer[], p_targets text[])
  returns integer
  language plpgsql volatile
  set enable_bitmapscan=off
  set enable_hashjoin=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.place_at_target(p_job bigint, p_queue holdfast.queue, p_target text, p_lane bigint, p_ord bigint, p_now timestamp with time zone, OUT free integer, OUT before_it integer, OUT holder bigint, OUT first bigint)
  returns record
  language plpgsql stable
  set search_path=pg_catalog, pg_temp;

create function holdfast.place_in_lanes(p_queues integer[], p_targets text[], p_rows holdfast.live[])
  returns integer
  language plpgsql volatile
  set enable_bitmapscan=off
  set enable_hashjoin=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.place_or_leave(p_queues integer[], p_targets text[], p_rows holdfast.live[], p_wait_ms integer)
  returns void
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.problems(p_tenant text, p_limit integer DEFAULT 10, p_installation boolean DEFAULT false)
  returns TABLE(type text, subject jsonb, since timestamp with time zone, numbers jsonb, error jsonb, data jsonb)
  language plpgsql stable security definer
  set enable_bitmapscan=off
  set enable_seqscan=off
  set jit=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.progress_of(p_job bigint)
  returns jsonb
  language sql stable
  set search_path=pg_catalog, pg_temp;

create function holdfast.promote(p_limit integer DEFAULT 1000)
  returns integer
  language plpgsql volatile security definer
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.promote_due(p_limit integer)
  returns integer
  language plpgsql volatile
  set enable_bitmapscan=off
  set enable_seqscan=off
  set enable_sort=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.promote_due_in(p_job bigint)
  returns void
  language plpgsql volatile
  set enable_bitmapscan=off
  set enable_hashjoin=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.promote_due_work(p_limit integer)
  returns boolean
  language plpgsql volatile
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.promote_jobs(p_jobs bigint[])
  returns integer
  language plpgsql volatile
  set enable_bitmapscan=off
  set enable_hashjoin=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set jit=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.prune()
  returns bigint
  language plpgsql volatile security definer
  set jit=off
  set lock_timeout=100ms
  set plan_cache_mode=force_custom_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.prune_alerts(p_limit integer, p_now timestamp with time zone)
  returns void
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.prune_buckets(p_limit integer)
  returns integer
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.prune_bulk(p_limit integer)
  returns integer
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.prune_calls(p_limit integer)
  returns integer
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.prune_firings(p_limit integer)
  returns integer
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.prune_minutes(p_limit integer)
  returns integer
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.prune_records(p_events interval DEFAULT '7 days'::interval, p_requests interval DEFAULT '24:00:00'::interval, p_limit integer DEFAULT 10000)
  returns integer
  language plpgsql volatile security definer
  set enable_bitmapscan=off
  set enable_hashjoin=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set enable_sort=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.prune_stats(p_limit integer)
  returns integer
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.prune_workers(p_limit integer)
  returns integer
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.publish(p_job bigint, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text)
  returns holdfast.state
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.queue_counts(p_tenants text[], p_queues integer DEFAULT 1000, p_max integer DEFAULT 1000, p_examined integer DEFAULT 20000)
  returns TABLE(queue_id integer, tenant text, queue text, queued bigint, running bigint, delayed bigint, waiting bigint, blocked bigint, capped text[])
  language plpgsql stable security definer
  set enable_bitmapscan=off
  set enable_seqscan=off
  set jit=off
  set search_path=pg_catalog, pg_temp;

create function holdfast.queue_gauges(p_queues integer DEFAULT 1000, p_max integer DEFAULT 100000)
  returns TABLE(queue_id integer, tenant text, queue text, paused boolean, counts jsonb, counted_max integer, oldest_ready timestamp with time zone, blocked_since timestamp with time zone)
  language sql stable security definer
  set enable_bitmapscan=off
  set enable_seqscan=off
  set jit=off
  set search_path=pg_catalog, pg_temp;

create function holdfast.queue_ids(p_tenant text, p_queues text[])
  returns TABLE(name text, queue_id integer)
  language sql stable security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.queue_metrics(p_tenant text DEFAULT NULL::text, p_windows interval[] DEFAULT '{00:15:00,01:00:00,24:00:00}'::interval[], p_max integer DEFAULT 10000, p_queue text DEFAULT NULL::text)
  returns TABLE(tenant text, queue text, queue_id integer, window_sec integer, depth bigint, priorities jsonb, enqueued bigint, started bigint, succeeded bigint, failed bigint, canceled bigint, ended_after_failures bigint, succeeded_after_failures bigint, attempts_failed bigint, attempts_lost bigint, waits bigint, failed_rate double precision, retry_success_rate double precision, average_wait_ms double precision, average_run_ms double precision, oldest_ready_at timestamp with time zone)
  language plpgsql stable security definer
  set enable_bitmapscan=off
  set enable_seqscan=off
  set jit=off
  set search_path=pg_catalog, pg_temp;

create function holdfast.queue_of(p_job bigint)
  returns integer
  language sql stable security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.queue_state(p_queue integer, p_max integer DEFAULT 1000)
  returns TABLE(priorities jsonb, oldest_ready_at timestamp with time zone, running bigint, running_capped boolean, delayed bigint, delayed_capped boolean, waiting bigint, waiting_capped boolean, blocked bigint, limits jsonb, workers bigint, slots bigint)
  language plpgsql stable security definer
  set enable_bitmapscan=off
  set enable_seqscan=off
  set jit=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.queues_with_ready(p_queues integer[], p_hint_jobs bigint[])
  returns integer[]
  language plpgsql stable
  set enable_bitmapscan=off
  set enable_seqscan=off
  set jit=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.queues_with_work(p_queues integer[])
  returns integer[]
  language plpgsql volatile security definer
  set enable_bitmapscan=off
  set enable_hashjoin=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.read_keyword(p_tenant text, p_keyword text)
  returns text[]
  language plpgsql stable security definer
  set enable_bitmapscan=off
  set enable_hashjoin=off
  set enable_material=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set enable_sort=off
  set jit=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.ready_fronts(p_queues integer[])
  returns TABLE(queue_id integer, job_id bigint, since timestamp with time zone)
  language plpgsql stable
  set enable_bitmapscan=off
  set enable_seqscan=off
  set jit=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.recent_rate(p_queue holdfast.queue)
  returns double precision
  language plpgsql stable
  set enable_bitmapscan=off
  set enable_hashjoin=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set enable_sort=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.reclaim(p_limit integer DEFAULT 1000, p_orphans boolean DEFAULT true)
  returns integer
  language plpgsql volatile security definer
  set enable_bitmapscan=off
  set enable_hashjoin=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set jit=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.record_calls(p_calls jsonb)
  returns integer
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.record_chores(p_node text, p_runs jsonb)
  returns void
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.record_scale(p_tenant text, p_group text, p_worker text, p_from integer, p_to integer, p_reason text, p_depth integer DEFAULT NULL::integer)
  returns void
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.refuse(p_code text, p_message text, p_detail jsonb DEFAULT '{}'::jsonb)
  returns void
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.refuse_cancel(p_job bigint, p_state holdfast.state, p_if_state holdfast.state)
  returns void
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.refuse_live_jobs(p_queue integer)
  returns void
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.refuse_state(p_job bigint, p_verb text, p_state holdfast.state DEFAULT NULL::holdfast.state)
  returns void
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.refuse_unfit_jobs(p_queue integer, p_policy jsonb)
  returns void
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.refuse_unknown_kinds(p_jobs jsonb, p_tenant text)
  returns void
  language plpgsql stable
  set search_path=pg_catalog, pg_temp;

create function holdfast.related_jobs(p_job bigint, p_limit integer DEFAULT 200, OUT ids bigint[], OUT complete boolean)
  returns record
  language plpgsql stable security definer
  set enable_bitmapscan=off
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.release_bulk(p_operation bigint, p_runner text, p_error text DEFAULT NULL::text, p_retry_in interval DEFAULT '00:00:00'::interval)
  returns boolean
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.release_unlisted(p_lease bigint, p_jobs bigint[], p_attempts integer[], p_older_than interval DEFAULT '00:00:10'::interval)
  returns integer
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.remove_queue(p_queue integer, p_with_items boolean DEFAULT false, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text)
  returns void
  language plpgsql volatile security definer
  set lock_timeout=250ms
  set search_path=pg_catalog, pg_temp;

create function holdfast.remove_schedule(p_schedule bigint, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text)
  returns void
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.remove_subject(p_subject bigint, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text)
  returns void
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.remove_view(p_view bigint, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text)
  returns void
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.remove_webhook(p_webhook bigint, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text)
  returns void
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.remove_worker(p_worker text, p_tenant text DEFAULT NULL::text)
  returns boolean
  language plpgsql volatile security definer
  set enable_bitmapscan=off
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.rename_queue(p_queue integer, p_name text, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text)
  returns void
  language plpgsql volatile security definer
  set lock_timeout=250ms
  set search_path=pg_catalog, pg_temp;

create function holdfast.renew(p_leases bigint[], p_seen_jobs bigint[] DEFAULT NULL::bigint[], p_seen_attempts integer[] DEFAULT NULL::integer[])
  returns TABLE(lease bigint, alive boolean, expires_at timestamp with time zone, cancel jsonb, revoked jsonb)
  language plpgsql volatile security definer
  set enable_bitmapscan=off
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.report(p_job bigint, p_attempt integer, p_lease bigint, p_items jsonb DEFAULT '[]'::jsonb, p_cursor jsonb DEFAULT NULL::jsonb, p_progress jsonb DEFAULT NULL::jsonb, p_tokens bigint DEFAULT 0, p_extend_ms integer DEFAULT NULL::integer, p_done boolean DEFAULT false, p_done_reason text DEFAULT NULL::text, p_result jsonb DEFAULT NULL::jsonb, p_cleaned text[] DEFAULT NULL::text[], p_seq integer DEFAULT NULL::integer, OUT accepted boolean, OUT done boolean, OUT done_reason text, OUT new_items integer, OUT duplicate_items integer, OUT progress_count bigint, OUT result_count bigint, OUT tokens_used bigint, OUT token_limit bigint, OUT cancel_requested boolean, OUT expires_at timestamp with time zone)
  returns record
  language plpgsql volatile security definer
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.request_cancel(p_job bigint, p_actor text, p_reason text)
  returns bigint
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.requeue(p_live holdfast.live)
  returns holdfast.state
  language plpgsql volatile
  set enable_bitmapscan=off
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.reset_after(p_after interval)
  returns integer
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.resume(p_job bigint, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text)
  returns holdfast.state
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.resume_queue(p_queue integer, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text)
  returns boolean
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.resume_schedule(p_schedule bigint, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text, p_tenant text DEFAULT NULL::text)
  returns boolean
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.retries_of(p_jobs bigint[])
  returns TABLE(job_id bigint, retried_as bigint)
  language plpgsql stable security definer
  set enable_seqscan=off
  set search_path=pg_catalog, pg_temp;

create function holdfast.retry(p_job bigint, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text, OUT job_id bigint, OUT state holdfast.state)
  returns record
  language plpgsql volatile security definer
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.revoke_key(p_key bigint, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text)
  returns boolean
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.revoke_tenant(p_role name, p_tenant text, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text)
  returns boolean
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.rotate_key(p_key bigint, p_hash bytea, p_hint text, p_overlap interval DEFAULT '24:00:00'::interval, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text, OUT id bigint, OUT old_expires_at timestamp with time zone)
  returns record
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.run_schedule(p_schedule bigint, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text, OUT outcome text, OUT job_id bigint)
  returns record
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.run_selected(p_worker_id integer, p_lease bigint, p_lease_ms integer, p_queue integer, p_levels smallint[], p_jobs bigint[], p_limited boolean, p_now timestamp with time zone, OUT jobs bigint[], OUT marks integer[])
  returns record
  language plpgsql volatile
  set enable_bitmapscan=off
  set enable_hashjoin=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set jit=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.save_view(p_tenant text, p_name text, p_q text, p_columns text[], p_sort text, p_max integer, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text)
  returns bigint
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.search_ids(p_tenant text, p_filter jsonb, p_after jsonb DEFAULT NULL::jsonb, p_limit integer DEFAULT 50, p_window integer DEFAULT 1000, OUT ids bigint[], OUT next jsonb, OUT examined integer, OUT oldest_at timestamp with time zone)
  returns record
  language plpgsql stable security definer
  set enable_bitmapscan=off
  set enable_hashjoin=off
  set enable_material=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set enable_sort=off
  set jit=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.searched_queues(p_tenant text, p_filter jsonb)
  returns integer[]
  language sql stable
  set search_path=pg_catalog, pg_temp;

create function holdfast.server_id()
  returns text
  language sql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.server_system()
  returns text
  language sql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.set_alert_rule(p_tenant text, p_rule text, p_subject text, p_options jsonb, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text)
  returns void
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.set_policy(p_queue integer, p_policy jsonb, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text)
  returns void
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.set_priority(p_job bigint, p_priority integer, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text)
  returns smallint
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.set_setting(p_name text, p_value jsonb, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text)
  returns void
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.set_subject(p_subject bigint, p_changes jsonb, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text)
  returns void
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.set_tenant_limits(p_tenant text, p_limits jsonb, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text)
  returns void
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.setting_number(p_name text)
  returns numeric
  language sql stable security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.settle_delivery(p_delivery bigint, p_attempt integer, p_arrived boolean, p_status integer DEFAULT NULL::integer, p_error text DEFAULT NULL::text, p_retry_ms bigint DEFAULT NULL::bigint)
  returns boolean
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.settle_lanes(p_lanes bigint[], p_ended bigint[])
  returns integer
  language plpgsql volatile
  set enable_bitmapscan=off
  set enable_hashjoin=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.settle_targets(p_limit integer DEFAULT 1000)
  returns integer
  language plpgsql volatile security definer
  set enable_bitmapscan=off
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.silence_alert(p_alert bigint, p_until timestamp with time zone DEFAULT NULL::timestamp with time zone, p_for_ms bigint DEFAULT NULL::bigint, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text, p_end boolean DEFAULT false)
  returns timestamp with time zone
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.skip(p_job bigint, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text)
  returns holdfast.state
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.skip_slots(p_schedule bigint, p_revision integer, p_slot timestamp with time zone, p_last timestamp with time zone, p_slots integer, p_next timestamp with time zone, p_outcome text, p_note text DEFAULT NULL::text)
  returns text
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.snapshot_of_others()
  returns pg_snapshot
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.start(p_jobs bigint[], p_attempts integer[], p_leases bigint[], p_ago_ms integer[] DEFAULT NULL::integer[])
  returns TABLE(job_id bigint, attempt integer)
  language sql volatile security definer
  set enable_bitmapscan=off
  set enable_hashjoin=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.start_bulk(p_tenant text, p_command text, p_q text, p_until timestamp with time zone DEFAULT NULL::timestamp with time zone, p_priority integer DEFAULT NULL::integer, p_by integer DEFAULT NULL::integer, p_expected bigint DEFAULT NULL::bigint, p_expected_capped boolean DEFAULT false, p_request_key text DEFAULT NULL::text, p_fingerprint text DEFAULT NULL::text, p_open_max integer DEFAULT 20, p_actor text DEFAULT NULL::text, p_reason text DEFAULT NULL::text, OUT id bigint, OUT created boolean)
  returns record
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.stat_limit(p_name text)
  returns integer
  language sql immutable
  set search_path=pg_catalog, pg_temp;

create function holdfast.stat_widths()
  returns TABLE(minutes integer, stored interval)
  language sql immutable
  set search_path=pg_catalog, pg_temp;

create function holdfast.state_after_loss(p_job bigint, p_now timestamp with time zone)
  returns holdfast.state
  language plpgsql stable
  set search_path=pg_catalog, pg_temp;

create function holdfast.state_counts(p_tenant text, p_queue text DEFAULT NULL::text, p_max integer DEFAULT 1000, p_examined integer DEFAULT 10000, OUT counts jsonb, OUT capped text[])
  returns record
  language plpgsql stable security definer
  set enable_bitmapscan=off
  set enable_seqscan=off
  set jit=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.state_of(p_job bigint)
  returns holdfast.state
  language plpgsql stable
  set enable_bitmapscan=off
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.state_word(p_preset text, p_state holdfast.state, p_attempted boolean)
  returns text
  language sql immutable
  set search_path=pg_catalog, pg_temp;

create function holdfast.states_of(p_jobs bigint[])
  returns TABLE(job_id bigint, tenant text, queue text, trigger text, state holdfast.state)
  language plpgsql stable security definer
  set enable_bitmapscan=off
  set enable_hashjoin=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.stuck_upkeep(p_tenant text, p_limit integer)
  returns TABLE(type text, subject jsonb, since timestamp with time zone, numbers jsonb, error jsonb, data jsonb)
  language plpgsql stable
  set search_path=pg_catalog, pg_temp;

create function holdfast.succeed(p_jobs bigint[], p_attempts integer[], p_leases bigint[], p_started_ago_ms integer[], OUT jobs bigint[], OUT attempts integer[])
  returns record
  language plpgsql volatile
  set enable_bitmapscan=off
  set enable_hashjoin=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set jit=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.swap_range(p_lo bigint, p_hi bigint)
  returns bigint
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.take_bulk(p_runner text, p_lease interval DEFAULT '00:00:15'::interval, p_operation bigint DEFAULT NULL::bigint)
  returns TABLE(id bigint, tenant text, command text, q text, until timestamp with time zone, page integer, cursor text, matched integer)
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.take_deliveries(p_limit integer DEFAULT 100, p_lease_ms integer DEFAULT 60000, p_per_tenant integer DEFAULT 100, p_busy jsonb DEFAULT '{}'::jsonb)
  returns TABLE(id bigint, attempt integer, webhook_id bigint, webhook_tenant text, url text, secret text, type text, event_id bigint, at timestamp with time zone, alert_id bigint, tenant text, rule text, subject text, value numeric, threshold numeric, data jsonb)
  language plpgsql volatile security definer
  set enable_bitmapscan=off
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.take_keys(p_rows holdfast.new_job[], p_wait_ms integer)
  returns holdfast.new_job[]
  language plpgsql volatile
  set enable_bitmapscan=off
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.take_outbox(p_tenant text, p_trigger text, p_limit integer DEFAULT 200, p_hold_ms integer DEFAULT 30000)
  returns TABLE(id bigint, job_id bigint, queue text, sends integer, message text)
  language plpgsql volatile security definer
  set enable_bitmapscan=off
  set enable_hashjoin=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set jit=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.take_turn(p_name text, p_wait boolean DEFAULT true)
  returns boolean
  language plpgsql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.texts(p_list jsonb)
  returns text[]
  language sql immutable
  set search_path=pg_catalog, pg_temp;

create function holdfast.threshold_of(p_tenant text, p_rule text, p_subject text)
  returns numeric
  language sql stable
  set search_path=pg_catalog, pg_temp;

create function holdfast.throttle_by_key(p_queue integer, p_levels smallint[], p_jobs bigint[], p_keys text[], p_fresh boolean[], p_want integer, p_at timestamp with time zone, OUT levels smallint[], OUT jobs bigint[])
  returns record
  language plpgsql volatile
  set enable_bitmapscan=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set jit=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.time_bounds()
  returns bigint[]
  language sql immutable
  set search_path=pg_catalog, pg_temp;

create function holdfast.time_bucket(p_ms bigint)
  returns integer
  language sql immutable
  set search_path=pg_catalog, pg_temp;

create function holdfast.to_ended(p_live holdfast.live, p_state holdfast.state, p_reason text)
  returns void
  language plpgsql volatile
  set enable_bitmapscan=off
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.to_ready(p_live holdfast.live)
  returns void
  language sql volatile
  set search_path=pg_catalog, pg_temp;

create function holdfast.tokens_at(p_queue holdfast.queue, p_tokens double precision, p_filled_at timestamp with time zone, p_at timestamp with time zone)
  returns double precision
  language sql immutable;

create function holdfast.triggered_queues(p_tenant text, p_trigger text, p_queues text[])
  returns text[]
  language sql stable security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.unpark(p_queues integer[], p_kinds text[], p_limit integer DEFAULT 1000)
  returns integer
  language plpgsql volatile security definer
  set enable_bitmapscan=off
  set enable_hashjoin=off
  set enable_mergejoin=off
  set enable_seqscan=off
  set jit=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.unraised_since(p_job holdfast.job)
  returns timestamp with time zone
  language sql stable
  set search_path=pg_catalog, pg_temp;

create function holdfast.upkeep_asleep(p_chore text, p_since timestamp with time zone, p_now timestamp with time zone)
  returns TABLE(code text, sentence text, data jsonb)
  language sql stable
  set search_path=pg_catalog, pg_temp;

create function holdfast.use_web_session(p_hash bytea)
  returns TABLE(key_id bigint, tenant text, name text, scopes text[], rate_limit integer, proof bytea, expires_at timestamp with time zone, state text)
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.version_at(p_tenant text, p_worker integer, p_at timestamp with time zone)
  returns text
  language sql stable
  set search_path=pg_catalog, pg_temp;

create function holdfast.view_now()
  returns timestamp with time zone
  language sql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.visible_queues()
  returns integer[]
  language plpgsql stable security definer
  set enable_seqscan=off
  set search_path=pg_catalog, pg_temp;

create function holdfast.visible_tenants()
  returns text[]
  language plpgsql stable security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.waiting_queues(p_tenant text, p_limit integer)
  returns TABLE(type text, subject jsonb, since timestamp with time zone, numbers jsonb, error jsonb, data jsonb)
  language plpgsql stable
  set search_path=pg_catalog, pg_temp;

create function holdfast.wake(p_queues integer[] DEFAULT NULL::integer[])
  returns void
  language plpgsql volatile security definer
  set enable_seqscan=off
  set search_path=pg_catalog, pg_temp;

create function holdfast.wake_at_commit()
  returns trigger
  language plpgsql volatile security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.webhook_target(p_webhook bigint)
  returns TABLE(url text, secret text)
  language plpgsql stable security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.with_kinds(p_jobs jsonb, p_tenant text)
  returns jsonb
  language plpgsql stable
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.with_worker_ids(p_terms jsonb, p_tenant text)
  returns jsonb
  language plpgsql stable
  set search_path=pg_catalog, pg_temp;

create function holdfast.withdraw(p_job bigint, OUT state holdfast.state, OUT live holdfast.live, OUT since timestamp with time zone)
  returns record
  language plpgsql volatile
  set enable_bitmapscan=off
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.work_terms(p_tenant text, p_queues text[])
  returns TABLE(name text, renewed_by text, lease_ms integer, heartbeat_ms integer)
  language sql stable security definer
  set search_path=pg_catalog, pg_temp;

create function holdfast.worker_fits(p_worker integer, p_patterns text[])
  returns boolean
  language plpgsql stable
  set search_path=pg_catalog, pg_temp;

create function holdfast.worker_heartbeat(p_worker text, p_host text, p_pid integer, p_version text, p_kinds text[], p_queues text[], p_tenant text, p_slots integer, p_busy integer, p_lag_ms integer, p_draining boolean, p_over_http boolean DEFAULT false, p_app_version text DEFAULT NULL::text)
  returns boolean
  language plpgsql volatile security definer
  set enable_bitmapscan=off
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.worker_id(p_name text)
  returns integer
  language plpgsql volatile
  set enable_bitmapscan=off
  set enable_seqscan=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

create function holdfast.worker_jobs(p_tenant text, p_worker text, p_limit integer DEFAULT 100, p_examined integer DEFAULT 10000)
  returns TABLE(id bigint, queue text, kind text, attempt integer, claimed_at timestamp with time zone, started_at timestamp with time zone, cancel_requested boolean)
  language plpgsql stable security definer
  set enable_bitmapscan=off
  set enable_seqscan=off
  set jit=off
  set plan_cache_mode=force_generic_plan
  set search_path=pg_catalog, pg_temp;

-- views

create view holdfast.alert_events (
  id bigint,
  alert_id bigint,
  at timestamp with time zone,
  tenant text,
  rule text,
  subject text,
  type text,
  value numeric,
  threshold numeric,
  actor text,
  reason text,
  data jsonb
);

create view holdfast.alert_rules (
  tenant text,
  rule text,
  subject text,
  enabled boolean,
  threshold numeric,
  for_sec integer,
  clear_sec integer,
  updated_at timestamp with time zone,
  updated_by text
);

create view holdfast.alerts (
  id bigint,
  tenant text,
  rule text,
  subject text,
  state text,
  value numeric,
  threshold numeric,
  data jsonb,
  since timestamp with time zone,
  fired_at timestamp with time zone,
  seen_at timestamp with time zone,
  silenced_until timestamp with time zone,
  silenced_by text,
  silence_reason text
);

create view holdfast.api_keys (
  id bigint,
  tenant text,
  name text,
  hint text,
  scopes text[],
  rate_limit integer,
  created_at timestamp with time zone,
  created_by text,
  expires_at timestamp with time zone,
  last_used_at timestamp with time zone,
  revoked_at timestamp with time zone,
  revoked_by text,
  revoke_reason text,
  replaces bigint,
  state text
);

create view holdfast.attempts (
  job_id bigint,
  attempt integer,
  lease bigint,
  worker text,
  claimed_at timestamp with time zone,
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  outcome holdfast.outcome,
  moved_to holdfast.state,
  final boolean,
  failures smallint,
  result jsonb,
  reason text,
  error_class text,
  error_message text,
  error_fingerprint text,
  error_stack text,
  log_excerpt text,
  cleaned text[]
);

create view holdfast.audit_log (
  id bigint,
  at timestamp with time zone,
  tenant text,
  actor text,
  key_id bigint,
  operation text,
  method text,
  path text,
  status integer,
  code text,
  reason text,
  request_id text,
  address text
);

create view holdfast.bulk_operations (
  id bigint,
  tenant text,
  command text,
  q text,
  priority smallint,
  by smallint,
  until timestamp with time zone,
  state text,
  expected bigint,
  expected_capped boolean,
  matched integer,
  done integer,
  failed integer,
  limit_reached boolean,
  created_at timestamp with time zone,
  created_by text,
  reason text,
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  runner text,
  aborted_by text,
  abort_reason text,
  error text
);

create view holdfast.bulk_results (
  operation_id bigint,
  job_id bigint,
  tenant text,
  at timestamp with time zone,
  ok boolean,
  state holdfast.state,
  new_job_id bigint,
  code text,
  detail text
);

create view holdfast.chores (
  name text,
  node text,
  every_ms bigint,
  last_run_at timestamp with time zone,
  next_due_at timestamp with time zone,
  duration_ms integer,
  rows bigint,
  runs bigint,
  rows_total bigint,
  last_change_at timestamp with time zone,
  failures bigint,
  error text,
  failed_at timestamp with time zone
);

create view holdfast.counted_kinds (
  tenant text,
  kind text,
  first_seen_at timestamp with time zone,
  last_seen_at timestamp with time zone,
  error_at timestamp with time zone,
  error_fingerprint text,
  error_message text,
  error_job_id bigint
);

create view holdfast.error_counts (
  tenant text,
  minutes smallint,
  fingerprint text,
  kind text,
  at timestamp with time zone,
  attempts integer
);

create view holdfast.error_groups (
  tenant text,
  fingerprint text,
  error_class text,
  message text,
  first_seen_at timestamp with time zone,
  last_seen_at timestamp with time zone,
  attempts bigint,
  kinds text[],
  queue_ids integer[],
  first_version text,
  last_version text,
  job_ids bigint[]
);

create view holdfast.events (
  id bigint,
  at timestamp with time zone,
  tenant text,
  type text,
  job_id bigint,
  job_ids bigint[],
  queue_id integer,
  actor text,
  reason text,
  data jsonb
);

create view holdfast.firings (
  id bigint,
  tenant text,
  schedule_id bigint,
  slot timestamp with time zone,
  last_slot timestamp with time zone,
  slots integer,
  fired_at timestamp with time zone,
  outcome text,
  job_id bigint,
  note text,
  actor text
);

create view holdfast.items (
  id bigint,
  job_id bigint,
  attempt integer,
  queue_id integer,
  collection text,
  key text,
  data jsonb,
  created_at timestamp with time zone
);

create view holdfast.job_attempts (
  id bigint,
  job_id bigint,
  attempt integer,
  worker_id text,
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  success integer,
  log_excerpt text,
  outcome holdfast.outcome,
  moved_to holdfast.state,
  reason text,
  error_class text,
  error_message text,
  error_fingerprint text,
  claimed_at timestamp with time zone,
  lease bigint,
  result jsonb
);

create view holdfast.jobs (
  id bigint,
  tenant text,
  queue text,
  preset text,
  kind text,
  state holdfast.state,
  input jsonb,
  key text,
  subject text,
  target text,
  priority smallint,
  initial_priority smallint,
  attempt integer,
  max_retries integer,
  failures smallint,
  losses smallint,
  interruptions integer,
  lease bigint,
  lease_owner text,
  lease_expires_at timestamp with time zone,
  heartbeat_at timestamp with time zone,
  cancel_requested boolean,
  claimed_at timestamp with time zone,
  started_at timestamp with time zone,
  visible_at timestamp with time zone,
  duration_ms bigint,
  created_by text,
  created_at timestamp with time zone,
  updated_at timestamp with time zone,
  finished_at timestamp with time zone,
  reason text,
  last_error text,
  last_cursor jsonb,
  progress_count bigint,
  result_count bigint,
  item_goal bigint,
  last_progress_at timestamp with time zone,
  progress jsonb,
  tokens_used bigint,
  token_limit bigint,
  result jsonb,
  labels jsonb,
  trace text,
  parent_id bigint,
  retry_of bigint,
  queue_id integer,
  status text,
  held_since timestamp with time zone
);

create view holdfast.jobs_aliases (
  id bigint,
  queue_id integer,
  preset text,
  work_kind text,
  subreddit_id text,
  target_id text,
  attempts integer,
  max_attempts integer,
  retries integer,
  retry_count integer,
  locked_by text,
  locked_at timestamp with time zone,
  executed_at timestamp with time zone,
  target_count bigint,
  next_retry_at timestamp with time zone,
  last_attempt timestamp with time zone,
  enqueued_by text,
  done_reason text
);

create view holdfast.kind_versions (
  tenant text,
  kind text,
  version text,
  first_seen_at timestamp with time zone,
  last_seen_at timestamp with time zone,
  attempts bigint,
  failed bigint
);

create view holdfast.kinds (
  tenant text,
  kind text,
  queue text,
  max_retries integer,
  timeout_ms integer,
  priority smallint,
  key text,
  target text,
  by_program text[],
  declared_at timestamp with time zone,
  declared_by text,
  search text[],
  search_since timestamp with time zone
);

create view holdfast.queue_minutes (
  tenant text,
  queue text,
  queue_id integer,
  minute timestamp with time zone,
  enqueued integer,
  started integer,
  succeeded integer,
  failed integer,
  canceled integer,
  ended_after_failures integer,
  succeeded_after_failures integer,
  attempts_failed integer,
  attempts_lost integer,
  wait_ms bigint,
  waits integer,
  run_ms bigint,
  runs integer
);

create view holdfast.queues (
  id integer,
  tenant text,
  name text,
  preset text,
  order_by text,
  max_retries integer,
  retry_base_ms bigint,
  retry_factor double precision,
  retry_cap_ms bigint,
  jitter_low double precision,
  jitter_high double precision,
  lease_ms integer,
  heartbeat_ms integer,
  renewed_by text,
  on_lease_lost text,
  crash_budget integer,
  on_cancel text,
  on_shutdown text,
  serialize_targets boolean,
  on_error text,
  dedup text,
  dedup_by text,
  strict boolean,
  timeout_ms integer,
  items_key text,
  external_trigger text,
  max_running integer,
  max_running_per_target integer,
  rate_limit integer,
  rate_period_ms integer,
  rate_burst integer,
  rate_per_key boolean,
  retention_ms bigint,
  record_starts boolean,
  unknown_kinds text,
  paused_at timestamp with time zone,
  paused_by text,
  pause_reason text,
  created_at timestamp with time zone,
  updated_at timestamp with time zone,
  limited boolean
);

create view holdfast.saved_views (
  id bigint,
  tenant text,
  name text,
  q text,
  columns text[],
  sort text,
  created_at timestamp with time zone,
  created_by text,
  updated_at timestamp with time zone,
  updated_by text
);

create view holdfast.schedule_windows (
  tenant text,
  since timestamp with time zone,
  until timestamp with time zone,
  paused_by text,
  note text,
  open boolean
);

create view holdfast.schedules (
  id bigint,
  tenant text,
  name text,
  description text,
  queue text,
  kind text,
  input jsonb,
  subject text,
  priority integer,
  own_priority smallint,
  key text,
  target text,
  expression text,
  time_zone text,
  enabled boolean,
  paused_at timestamp with time zone,
  paused_by text,
  pause_note text,
  catch_up text,
  catch_up_max integer,
  overlap text,
  jitter_ms integer,
  next_slot timestamp with time zone,
  next_run_at timestamp with time zone,
  last_run_at timestamp with time zone,
  waiting_slot timestamp with time zone,
  revision integer,
  declared jsonb,
  overrides text[],
  created_at timestamp with time zone,
  updated_at timestamp with time zone,
  created_by text,
  window_since timestamp with time zone,
  window_until timestamp with time zone,
  window_by text,
  window_note text,
  late_ms numeric,
  now timestamp with time zone
);

create view holdfast.settings (
  name text,
  value numeric,
  default_value numeric,
  min numeric,
  max numeric,
  origin text,
  updated_at timestamp with time zone,
  updated_by text
);

create view holdfast.stats (
  tenant text,
  minutes smallint,
  queue_id integer,
  at timestamp with time zone,
  kind text,
  enqueued integer,
  started integer,
  succeeded integer,
  failed integer,
  canceled integer,
  attempts integer,
  attempts_failed integer,
  attempts_lost integer,
  wait_times integer[],
  run_times integer[]
);

create view holdfast.subjects (
  id bigint,
  tenant text,
  queue text,
  name text,
  kind text,
  input jsonb,
  priority smallint,
  last_success_at timestamp with time zone,
  last_job_id bigint,
  stale_after_ms bigint,
  enabled boolean,
  added_at timestamp with time zone,
  added_by text,
  enqueued_at timestamp with time zone,
  stale_at timestamp with time zone
);

create view holdfast.tenants (
  name text,
  max_running integer,
  max_live_jobs integer,
  enqueues_per_second integer,
  payload_bytes_max integer,
  updated_at timestamp with time zone
);

create view holdfast.violations (
  rule text,
  job_id bigint,
  detail text
);

create view holdfast.webhook_deliveries (
  id bigint,
  webhook_id bigint,
  tenant text,
  alert_id bigint,
  event_id bigint,
  type text,
  state text,
  attempts integer,
  created_at timestamp with time zone,
  next_at timestamp with time zone,
  ended_at timestamp with time zone,
  status integer,
  error text
);

create view holdfast.webhooks (
  id bigint,
  tenant text,
  name text,
  url text,
  rules text[],
  enabled boolean,
  created_at timestamp with time zone,
  created_by text
);

create view holdfast.workers (
  worker text,
  tenant text,
  host text,
  pid integer,
  version text,
  kinds text[],
  queues text[],
  slots integer,
  busy integer,
  lag_ms integer,
  draining boolean,
  drain_requested_at timestamp with time zone,
  drain_requested_by text,
  drain_reason text,
  started_at timestamp with time zone,
  heartbeat_at timestamp with time zone,
  alive boolean,
  lease bigint,
  lease_expires_at timestamp with time zone,
  leases bigint,
  app_version text
);
