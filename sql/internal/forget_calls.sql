-- Lets go of the oldest rows of the audit log, once they are older than the setting AUDIT_DAYS says. Their ids are in the order of their times,
-- but for moments.
create or replace function holdfast.forget_calls(p_limit int) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_before timestamptz := holdfast.now() - interval '1 day' * holdfast.setting_number('AUDIT_DAYS')::int;
  v_count int;
begin
  delete from holdfast.audit a using (select x.id from holdfast.audit x order by x.id limit p_limit) o
    where a.id = o.id and a.at < v_before;
  get diagnostics v_count = row_count;
  return v_count;
end $$;
