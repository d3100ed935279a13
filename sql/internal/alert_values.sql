-- What every rule looks at, as it is now: one row for each subject there is something to say about, wrong or not.
create or replace function holdfast.alert_values() returns table (tenant text, rule text, subject text, value numeric, data jsonb)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select b.tenant, b.rule, b.subject, b.value, b.data from holdfast.alert_backlog() b
  union all
  select l.tenant, l.rule, l.subject, l.value, l.data from holdfast.alert_long() l
  union all
  select t.tenant, t.rule, t.subject, t.value, t.data from holdfast.alert_blocked() t
  union all
  select r.tenant, r.rule, r.subject, r.value, r.data from holdfast.alert_rates() r
  union all
  select e.tenant, e.rule, e.subject, e.value, e.data from holdfast.alert_late() e
$$;
