-- Makes room for jobs to come: at least p_ahead ranges beyond the newest job, in `job` and `attempt` alike. A row past the
-- last range would be an enqueue outage, so enqueue calls this too. A table is made empty and attached: that takes no lock
-- that reads or writes of the others would notice (`create ... partition of` would). Ranges follow each other without a gap,
-- because an id of any of them may be on its way in.
create or replace function holdfast.make_partitions(p_ahead int default 3) returns int
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_width bigint := greatest(1, holdfast.setting_number('PARTITION_JOBS')::bigint);
  v_last bigint;
  v_ahead int;
  v_lo bigint;
  v_made int := 0;
begin
  perform holdfast.check_sight(p_all => false);
  perform holdfast.take_turn('partitions');
  loop
    select case when s.is_called then s.last_value else 0 end into v_last from holdfast.job_id_seq s;
    select count(*) filter (where p.lo > v_last), coalesce(max(p.hi), 1) into v_ahead, v_lo from holdfast.partition p;
    exit when v_lo > v_last and v_ahead >= p_ahead;
    insert into holdfast.partition (lo, hi) values (v_lo, v_lo + v_width);
    execute format('create table holdfast.job_%s (like holdfast.job including defaults including constraints including storage)', v_lo);
    execute format('alter table holdfast.job attach partition holdfast.job_%s for values from (%s) to (%s)', v_lo, v_lo, v_lo + v_width);
    execute format('create table holdfast.attempt_%s (like holdfast.attempt including defaults including constraints including storage)', v_lo);
    execute format('alter table holdfast.attempt attach partition holdfast.attempt_%s for values from (%s) to (%s)', v_lo, v_lo, v_lo + v_width);
    v_made := v_made + 1;
  end loop;
  return v_made;
end $$;
