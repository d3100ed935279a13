-- Makes due jobs claimable: at most p_limit of them, the longest due first. Any number of nodes may call it at once.
create or replace function holdfast.promote(p_limit int default 1000) returns int
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_due bigint[];
begin
  perform holdfast.check_sight(p_all => false);
  select array_agg(p.job_id) into v_due
    from (select d.job_id from holdfast.delayed d where d.due_at <= holdfast.now() order by d.due_at limit p_limit for update skip locked) p;
  return case when v_due is null then 0 else holdfast.promote_jobs(v_due) end;
end $$;
