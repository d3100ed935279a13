-- How each chore of upkeep went last, on whichever node, and when the next pass is due at the latest.
create or replace view holdfast.chores as
select c.name, c.node, c.every_ms, c.last_run_at, c.last_run_at + interval '1 ms' * c.every_ms as next_due_at, c.duration_ms, c.rows, c.runs, c.rows_total,
  c.worked_at, c.failures, c.error, c.failed_at
from holdfast.chore_run c;
