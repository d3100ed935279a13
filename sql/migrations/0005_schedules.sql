-- What fires by itself, and what came of it.
--
-- A schedule fires at slots: the instants its expression means in its time zone. They are computed by programs, which know time zones
-- and calendars; the database knows only the next one. `next_slot` is the fence: a firing names the slot it believes to be next and the one
-- after it, and takes effect only while that is so. `revision` rises with every change of the definition, so that nobody fires by an old one.
create table holdfast.schedule (
  id bigint generated always as identity primary key,
  tenant text not null check (tenant ~ '^[A-Za-z0-9_.:-]{1,100}$'),
  name text not null check (name ~ '^[A-Za-z0-9_.:-]{1,100}$'),
  description text check (char_length(description) <= 1000),
  -- the job it makes
  queue text not null check (queue ~ '^[A-Za-z0-9_.:-]{1,100}$'),
  kind text not null check (kind ~ '^[A-Za-z0-9_.:-]{1,100}$'),
  input jsonb not null,
  -- what the job is about: where a live job has it already, none is made
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
  -- what becomes of slots that nobody was there to fire; the number is for `all`
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
  -- fired, and to be made as soon as the job before has ended
  waiting_slot timestamptz,
  revision int not null,
  -- what a program says of it when it starts; null for one that was made at run time
  declared jsonb,
  -- which of that was changed at run time since, and stays
  overrides text[] not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  created_by text,
  unique (tenant, name)
);
create index schedule_due on holdfast.schedule (next_run_at) where enabled and paused_at is null;
create index schedule_waiting on holdfast.schedule (waiting_slot) where waiting_slot is not null;

-- One row a slot, or one for a run of slots that passed without being fired.
create table holdfast.firing (
  id bigint generated always as identity primary key,
  tenant text not null check (tenant ~ '^[A-Za-z0-9_.:-]{1,100}$'),
  schedule_id bigint not null,
  slot timestamptz not null,
  -- of a run of slots: its last, and how many they are; null when nobody counted that far
  last_slot timestamptz not null,
  slots int check (slots > 0),
  fired_at timestamptz not null,
  outcome text not null check (outcome in ('created', 'deduplicated', 'skipped', 'missed', 'manual', 'waiting')),
  -- the job that was made, or the live one in whose favour none was
  job_id bigint,
  note text,
  actor text
);
-- However many schedulers there are: a slot is fired once.
create unique index firing_slot on holdfast.firing (schedule_id, slot) where outcome <> 'manual';
create index firing_schedule on holdfast.firing (schedule_id, id);

-- Nothing of the tenant fires from `since` until somebody lifts it, or `until` has come.
create table holdfast.schedule_window (
  tenant text primary key check (tenant ~ '^[A-Za-z0-9_.:-]{1,100}$'),
  since timestamptz not null,
  until timestamptz,
  paused_by text,
  note text
);
