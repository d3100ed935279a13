-- insert_keys, but a key that an open transaction holds for longer than p_wait_ms is left out: its jobs come back taken by 0. All keys are
-- tried at once first. Only when that met a rival is each tried for itself, in a subtransaction of its own, to learn which keys are held.
create or replace function holdfast.insert_free_keys(p_rows holdfast.new_job[], p_wait_ms int) returns holdfast.new_job[]
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_rows holdfast.new_job[] := p_rows;
  v_one record;
  v_n int;
begin
  begin
    perform holdfast.insert_keys(v_rows);
    return v_rows;
  exception when lock_not_available then
    null;
  end;
  perform set_config('lock_timeout', '2', true);
  for v_one in
    select r.queue_id, r.key, min(r.id) as id, array_agg(i) as places
    from generate_subscripts(v_rows, 1) i cross join lateral (select (v_rows[i]).*) r
    where r.key is not null and r.taken_by is distinct from 0
    group by r.queue_id, r.key order by r.queue_id, r.key collate "C"
  loop
    begin
      insert into holdfast.dedup (queue_id, key, job_id) values (v_one.queue_id, v_one.key, v_one.id) on conflict (queue_id, key) do nothing;
    exception when lock_not_available then
      foreach v_n in array v_one.places loop
        v_rows[v_n].taken_by := 0;
      end loop;
    end;
  end loop;
  perform set_config('lock_timeout', greatest(p_wait_ms, 1)::text, true);
  return v_rows;
end $$;
