-- Lets go of the counts of minutes older than the setting ROLLUP_DAYS says.
create or replace function holdfast.forget_minutes(p_limit int) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_before timestamptz := holdfast.now() - interval '1 day' * holdfast.setting_number('ROLLUP_DAYS')::int;
  v_gone int;
begin
  delete from holdfast.queue_minute m using (
      select x.queue_id, x.minute from holdfast.queue_minute x where x.minute < v_before order by x.minute limit p_limit for update skip locked) o
    where m.queue_id = o.queue_id and m.minute = o.minute;
  get diagnostics v_gone = row_count;
  return v_gone;
end $$;
