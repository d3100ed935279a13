-- Moves at most p_limit due jobs, the longest due first; those that arrive at a target are put in line by the caller.
create or replace function holdfast.promote_due(p_limit int) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set plan_cache_mode = force_generic_plan
as $$
declare
  -- Read once: compared with a clock that moves, the index would be read on, past what is due to the last of the delayed.
  v_now timestamptz := holdfast.now();
  v_due bigint[];
begin
  select array_agg(p.job_id) into v_due
    from (select d.job_id from holdfast.delayed d where d.due_at <= v_now order by d.due_at limit p_limit for update skip locked) p;
  return case when v_due is null then 0 else holdfast.promote_jobs(v_due) end;
end $$;
