-- Bulk operations (one command for every job that a search finds) with their progress.
create or replace view holdfast.bulk_operations as
select o.id, o.tenant, o.command, o.q, o.priority, o.boost_by as by, o.until, o.state, o.expected,
  o.expected_capped, o.matched, o.done, o.failed, o.limit_reached, o.created_at, o.created_by, o.reason,
  o.started_at, o.ended_at,
  case when o.runner_until > holdfast.view_now() then o.runner end as runner,
  o.aborted_by, o.abort_reason, o.error
from holdfast.bulk_operation o;
