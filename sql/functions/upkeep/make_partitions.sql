-- Creates partitions for future jobs: at least p_ahead ranges beyond the newest job, in `job` and `attempt`
-- alike. A row past the last range would be an enqueue outage, so enqueue calls this too. A table is created
-- empty and attached: that takes no lock that readers or writers of the others would notice (`create ...
-- partition of` would). Ranges follow each other without a gap, because an id of any of them may be in use by
-- an open transaction.
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
    select count(*) filter (where p.lo > v_last), coalesce(max(p.hi), 1) into v_ahead, v_lo
      from holdfast.partition p;
    exit when v_lo > v_last and v_ahead >= p_ahead;
    insert into holdfast.partition (lo, hi) values (v_lo, v_lo + v_width);
    execute format('create table holdfast.job_%s
      (like holdfast.job including defaults including constraints including storage)', v_lo);
    execute format('alter table holdfast.job attach partition holdfast.job_%1$s
      for values from (%1$s) to (%2$s)', v_lo, v_lo + v_width);
    execute format('create table holdfast.attempt_%s
      (like holdfast.attempt including defaults including constraints including storage)', v_lo);
    execute format('alter table holdfast.attempt attach partition holdfast.attempt_%1$s
      for values from (%1$s) to (%2$s)', v_lo, v_lo + v_width);
    v_made := v_made + 1;
  end loop;
  return v_made;
end $$;

-- Makes sure that jobs with ids up to p_last can be written. A call that is a transaction of its own
-- (p_settle) also keeps ranges created ahead, unless another process is doing so. In a caller's transaction
-- that waits until there is no range left at all, because no other process could create one before the caller
-- commits.
create or replace function holdfast.make_room(p_last bigint, p_settle boolean) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_end bigint;
  v_ahead int;
begin
  if not p_settle then
    -- A session does not see ranges created by others since its transaction first used `job`, until it next
    -- takes a new lock on a table; an insert would find "no partition". pg_relation_size takes one, and
    -- releases it.
    perform pg_relation_size('holdfast.code'::regclass, 'vm');
  end if;
  select max(p.hi), count(*) filter (where p.lo > p_last) into v_end, v_ahead
    from (select p.lo, p.hi from holdfast.partition p order by p.lo desc limit 4) p;
  if v_end is null or v_end <= p_last
    or p_settle and v_ahead < 3 and holdfast.take_turn('partitions', false) then
    perform holdfast.make_partitions();
  end if;
end $$;
