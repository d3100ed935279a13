-- Who may call the server, and who has called it.
--
-- A key is shown once, when it is made; here is only its SHA-256. It has 256 random bits, so a hash without salt cannot be turned
-- back, and finding a key is one lookup. `tenant` is whose jobs it is about, '*' for those who run the installation. Two keys
-- of a name live at once only while one takes the place of the other.
create table holdfast.api_key (
  id bigint generated always as identity primary key,
  tenant text not null check (tenant ~ '^([A-Za-z0-9_.:-]{1,100}|\*)$'),
  name text not null check (name ~ '^[A-Za-z0-9_.:-]{1,100}$'),
  hash bytea not null unique check (octet_length(hash) = 32),
  -- its first letters, by which people tell keys apart
  hint text not null check (char_length(hint) between 1 and 20),
  scopes text[] not null check (cardinality(scopes) > 0 and scopes <@ array['enqueue', 'work', 'read', 'operate', 'admin']),
  -- calls a second, at each server; null means no limit
  rate_limit int check (rate_limit between 1 and 1000000),
  created_at timestamptz not null,
  created_by text,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz,
  revoked_by text,
  revoke_reason text,
  -- the key it took the place of
  replaces bigint
);
create index api_key_name on holdfast.api_key (tenant, name);

-- One row from the moment the first key is made, and never changed or deleted after that: from then on every server of this database asks for a
-- key, also one on loopback, and also when the last key has expired, was revoked or forgotten.
create table holdfast.closed (
  only_one boolean primary key default true check (only_one),
  since timestamptz not null
);

-- What is done by one at a time takes the row of its name for its transaction (take_turn). A row and no advisory lock: every role that may connect
-- can take those, also one that may only read.
create table holdfast.turn (
  name text primary key
);
insert into holdfast.turn (name) values ('keys'), ('webhooks'), ('settings'), ('partitions'), ('prune'), ('roll_up'), ('events'), ('alert_rules');

-- One row for each call that could have changed something, also where it was refused.
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

-- What a tenant may have and ask for; null means as much as it likes.
alter table holdfast.tenant
  add column max_live_jobs int check (max_live_jobs > 0),
  add column enqueues_per_second int check (enqueues_per_second > 0),
  add column payload_bytes_max int check (payload_bytes_max between 1 and 1048576);
