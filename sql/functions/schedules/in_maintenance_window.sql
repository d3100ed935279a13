-- Whether a maintenance window of the tenant is open.
create or replace function holdfast.in_maintenance_window(p_tenant text) returns boolean
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select exists (select from holdfast.schedule_window w where w.tenant = p_tenant
    and (w.until is null or w.until > holdfast.now()))
$$;
