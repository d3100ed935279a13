-- The last run of each chore of upkeep, on whichever node, and when the next one is due at the latest. The
-- error can contain data of a tenant, so only a role for all tenants sees its text; the others see that there
-- was one.
create or replace view holdfast.chores as
select c.name, c.node, c.every_ms, c.last_run_at, c.last_run_at + interval '1 ms' * c.every_ms as next_due_at,
  c.duration_ms, c.rows, c.runs, c.rows_total, c.last_change_at, c.failures,
  case when c.error is null or (select holdfast.visible_tenants())::text[] = '{*}' then c.error
    else 'Only a role for all tenants sees the error.' end as error,
  c.failed_at
from holdfast.chore_run c;
