-- Charts: what happened in a minute, a quarter of an hour and an hour (`minutes`), by queue and kind; all of
-- the tenant in the rows with queue_id 0.
create or replace view holdfast.stats as
select s.tenant, s.minutes, s.queue_id, s.at, s.kind, s.enqueued, s.started, s.succeeded, s.failed,
  s.canceled, s.attempts, s.attempts_failed, s.attempts_lost, s.wait_times, s.run_times
from holdfast.stat s;
