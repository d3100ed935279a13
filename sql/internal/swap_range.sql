-- Replaces a range of `job` and `attempt` by what stays of it (everything not listed in pruned_<lo>); answers how many jobs stay.
-- A range of which nothing stays is not replaced: its ids are never given out again.
--
-- The long work comes first and blocks nobody: a job row never changes, so the range's last writers are waited for and the rows
-- copied. Then nothing may end or come back while the few rows of `attempt` that stay are copied and jobs that came back since the
-- list was made (only one that did not succeed can) are taken off it. Last, with everybody out, the tables change places. `job`
-- is locked first: a reader that has it keeps us from the rest, so nobody sees half of the swap.
create or replace function holdfast.swap_range(p_lo bigint, p_hi bigint) returns bigint
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_name text;
  v_column text;
  v_kept bigint;
begin
  foreach v_name in array array['job', 'attempt'] loop
    v_column := case v_name when 'job' then 'id' else 'job_id' end;
    execute format('create table holdfast.%1$s_%2$s_kept (like holdfast.%1$s including defaults including constraints including storage
      including indexes, constraint in_range check (%3$s >= %2$s and %3$s < %4$s))', v_name, p_lo, v_column, p_hi);
  end loop;
  execute format('lock table holdfast.job_%s in share mode', p_lo);
  execute format('insert into holdfast.job_%1$s_kept select j.* from holdfast.job_%1$s j
    where not exists (select from holdfast.pruned_%1$s g where g.job_id = j.id)', p_lo);
  execute format('analyze holdfast.job_%s_kept', p_lo);
  execute format('delete from holdfast.progress p using holdfast.pruned_%s g where p.job_id = g.job_id and not g.may_return', p_lo);

  execute format('lock table holdfast.attempt_%s in share row exclusive mode', p_lo);
  execute format('with back as (
      delete from holdfast.pruned_%1$s g where g.may_return
        and not exists (select from holdfast.attempt_%1$s a where a.job_id = g.job_id and a.attempt = g.attempt and a.final)
      returning g.job_id)
    insert into holdfast.job_%1$s_kept select j.* from back b join holdfast.job_%1$s j on j.id = b.job_id', p_lo);
  execute format('insert into holdfast.attempt_%1$s_kept select a.* from holdfast.job_%1$s_kept j join holdfast.attempt_%1$s a on a.job_id = j.id', p_lo);
  execute format('delete from holdfast.progress p using holdfast.pruned_%s g where p.job_id = g.job_id and g.may_return', p_lo);
  execute format('select count(*) from holdfast.job_%s_kept', p_lo) into v_kept;

  lock table only holdfast.job, only holdfast.attempt in access exclusive mode;
  foreach v_name in array array['job', 'attempt'] loop
    execute format('alter table holdfast.%1$s detach partition holdfast.%1$s_%2$s', v_name, p_lo);
    execute format('drop table holdfast.%s_%s', v_name, p_lo);
    if v_kept = 0 then
      execute format('drop table holdfast.%s_%s_kept', v_name, p_lo);
    else
      execute format('alter table holdfast.%1$s_%2$s_kept rename to %1$s_%2$s', v_name, p_lo);
      execute format('alter table holdfast.%1$s attach partition holdfast.%1$s_%2$s for values from (%2$s) to (%3$s)', v_name, p_lo, p_hi);
      execute format('alter table holdfast.%s_%s drop constraint in_range', v_name, p_lo);
    end if;
  end loop;
  if v_kept = 0 then
    delete from holdfast.partition p where p.lo = p_lo;
  end if;
  return v_kept;
end $$;
