-- Alerts: what the system finds wrong with itself, and whom it tells.
--
-- An alert is one rule about one subject: a queue, a queue and a kind, a schedule; '' is the installation itself. It is found again under the
-- same id however often it comes and goes. `pending` has not lasted long enough yet to be told, `cleared` is over. One evaluation at a
-- time decides, so a transition happens once and leaves one row in `alert_event`, which never changes.
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
  -- since when it is what it is wrong about; while cleared, since when it no longer is
  since timestamptz not null,
  fired_at timestamptz,
  -- seen last by an evaluation, and since when it is not seen any more while it still counts as firing
  seen_at timestamptz not null,
  calm_since timestamptz,
  -- whether those who want to know have been told that it fires
  told boolean not null default false,
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
  type text not null check (type in ('pending', 'firing', 'cleared', 'passed', 'silenced', 'unsilenced')),
  value numeric,
  threshold numeric,
  actor text,
  reason text,
  data jsonb
);
create index alert_event_alert on holdfast.alert_event (alert_id, id);
create index alert_event_tenant on holdfast.alert_event (tenant, id);

-- What a tenant wants otherwise than the settings say, for a rule (subject '') or for one subject of it; null leaves it to them.
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

-- When the next evaluation is due. Whoever moves it evaluates; the others leave it to them.
create table holdfast.alert_tick (
  only_one boolean primary key default true check (only_one),
  next_at timestamptz not null
);
insert into holdfast.alert_tick (next_at) values ('-infinity');

-- Who is told. The secret signs what is sent, so it has to be here as it is; no view shows it.
create table holdfast.webhook (
  id bigint generated always as identity primary key,
  -- '*' hears of every tenant and of the installation
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

-- What is to be sent, written by the evaluation that decided it. Of one alert the next goes when the one before has arrived or was given up.
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
  -- of the last answer
  status int,
  error text
) with (fillfactor = 70);
create index webhook_delivery_line on holdfast.webhook_delivery (webhook_id, alert_id, id) where state = 'waiting';
-- by tenant, so that each has its share of what is sent
create index webhook_delivery_due on holdfast.webhook_delivery (tenant, next_at) where state = 'waiting';
create index webhook_delivery_webhook on holdfast.webhook_delivery (webhook_id, id);

-- The longest blocked target of a queue in one step, however many jobs without a target are paused or parked beside it.
create index held_blocked_target on holdfast.held (queue_id, since) where state in ('paused', 'errored', 'parked') and lane is not null;
