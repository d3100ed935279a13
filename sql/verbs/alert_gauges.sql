-- What each rule looks at, as it is now, whether or not it is wrong: for metrics, so that others can watch with thresholds of their own.
create or replace function holdfast.alert_gauges(p_limit int default 1000) returns table (tenant text, rule text, subject text, value numeric)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform holdfast.check_sight(p_all => true);
  return query select v.tenant, v.rule, v.subject, v.value from holdfast.alert_values() v order by v.rule, v.tenant, v.subject limit p_limit;
end $$;
