-- What the outbox needs to be told from, safely and again.
--
-- A row says that something outside (SQS) has to hear of a job. It stays when the message is sent: `due_at` then is when to look again
-- whether the job still waits, because a message that was lost tells nobody. It goes when the job is no longer there to be told of.
-- '-infinity' sorts before everything: a row that was never sent is due at once, in the order of ids.
alter table holdfast.outbox
  add column due_at timestamptz not null default '-infinity',
  -- how often it was sent
  add column sends int not null default 0;
create index outbox_due on holdfast.outbox (queue_id, due_at, id);
create index outbox_job on holdfast.outbox (job_id);
alter table holdfast.outbox set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, vacuum_truncate = false);

-- Which failed jobs were made again; jobs that are nobody's second try cost nothing.
create index job_retry on holdfast.job (retry_of) where retry_of is not null;

-- When the dead letters of a trigger are compared with its jobs next, so that of any number of relays one is at it.
create table holdfast.reconcile_turn (
  tenant text not null,
  trigger text not null,
  next_at timestamptz not null,
  primary key (tenant, trigger)
);
