-- A number from the settings table, or the value that holds while nobody has set it. Only of these names: the views call it as
-- whoever reads them, and a secret asked for as a number would come back in the error.
create or replace function holdfast.setting_number(p_name text) returns numeric
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(
    (select (value #>> '{}')::numeric from holdfast.setting
      where name = p_name and name in ('LEASE_SEC_DEFAULT', 'BACKOFF_BASE_SEC', 'BACKOFF_MAX_SEC', 'MAX_ATTEMPTS_DEFAULT')),
    case p_name
      when 'LEASE_SEC_DEFAULT' then 60
      when 'BACKOFF_BASE_SEC' then 30
      when 'BACKOFF_MAX_SEC' then 3600
      when 'MAX_ATTEMPTS_DEFAULT' then 5
    end)
$$;
