-- Lets go of the oldest firings, once they are older than the setting FIRING_DAYS says. A slot so old never comes again.
create or replace function holdfast.forget_firings(p_limit int) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_before timestamptz := holdfast.now() - interval '1 day' * holdfast.setting_number('FIRING_DAYS')::int;
  v_count int;
begin
  delete from holdfast.firing f using (select x.id from holdfast.firing x order by x.id limit p_limit) o
    where f.id = o.id and f.fired_at < v_before and f.outcome <> 'waiting';
  get diagnostics v_count = row_count;
  return v_count;
end $$;
