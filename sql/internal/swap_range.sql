-- Replaces a range of `job` and `attempt` by what stays of it (everything not listed in pruned_<lo>); answers how many jobs stay.
create or replace function holdfast.swap_range(p_lo bigint, p_hi bigint) returns bigint
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_name text;
  v_column text;
  v_kept bigint;
  v_jobs bigint;
begin
  foreach v_name in array array['attempt', 'job'] loop
    v_column := case v_name when 'job' then 'id' else 'job_id' end;
    execute format('create table holdfast.%s_%s_kept (like holdfast.%s including defaults including constraints including storage)', v_name, p_lo, v_name);
    execute format('insert into holdfast.%1$s_%2$s_kept select x.* from holdfast.%1$s_%2$s x
      where not exists (select from holdfast.pruned_%2$s g where g.job_id = x.%3$s)', v_name, p_lo, v_column);
    get diagnostics v_kept = row_count;
    execute format('alter table holdfast.%1$s detach partition holdfast.%1$s_%2$s', v_name, p_lo);
    execute format('drop table holdfast.%s_%s', v_name, p_lo);
    execute format('alter table holdfast.%1$s_%2$s_kept rename to %1$s_%2$s', v_name, p_lo);
    execute format('alter table holdfast.%1$s attach partition holdfast.%1$s_%2$s for values from (%2$s) to (%3$s)', v_name, p_lo, p_hi);
  end loop;
  v_jobs := v_kept;
  delete from holdfast.progress p where p.job_id >= p_lo and p.job_id < p_hi and not exists (select from holdfast.job j where j.id = p.job_id);
  return v_jobs;
end $$;
