-- Every ended attempt, also those without a worker, with the name of its worker.
create or replace view holdfast.attempts as
select a.job_id, a.attempt, a.lease, w.name as worker, a.claimed_at, a.started_at, a.finished_at, a.outcome,
  a.moved_to, a.final, a.failures, a.result, a.reason, a.error_class, a.error_message, a.error_fingerprint,
  a.error_stack, a.log_excerpt, a.cleaned
from holdfast.attempt a left join holdfast.worker w on w.id = a.worker_id;
