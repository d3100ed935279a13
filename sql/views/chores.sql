-- How each chore of upkeep went last, on whichever node, and when the next pass is due at the latest. An error can name what belongs to some tenant,
-- so only those see it who see every tenant; the others see that there was one.
create or replace view holdfast.chores as
select c.name, c.node, c.every_ms, c.last_run_at, c.last_run_at + interval '1 ms' * c.every_ms as next_due_at, c.duration_ms, c.rows, c.runs, c.rows_total,
  c.worked_at, c.failures,
  case when c.error is null or (select holdfast.my_tenants())::text[] = '{*}' then c.error else 'Only those who see every tenant see why.' end as error,
  c.failed_at
from holdfast.chore_run c;
