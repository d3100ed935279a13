-- Drops history: the oldest range of jobs whose ended ones have outlived their queue's retention. Answers how many jobs went.
--
-- What must stay (live jobs, jobs ended lately) is copied into a small table that takes the range's place; the old one is dropped
-- whole. That is 16 ms of locks instead of a million deletes. Only a job that did not succeed can come back (retry), so after the
-- lock on the old range is won it is enough to see that none of those did. Swapping needs every reader and writer of `job` to let
-- go for a moment: we wait at most 100 ms for that, because everybody else waits behind us, and come back later.
-- A range of which more than a fifth must stay is left for another day.
create or replace function holdfast.prune() returns bigint
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '100ms'
set plan_cache_mode = force_custom_plan
as $$
declare
  v_now timestamptz := holdfast.now();
  v_last bigint := (select s.last_value from holdfast.job_id_seq s);
  v_lo bigint;
  v_hi bigint;
  v_all bigint;
  v_gone bigint;
  v_kept bigint;
  v_before bigint;
  v_after bigint;
begin
  perform holdfast.check_sight(p_all => true);
  select p.lo, p.hi into v_lo, v_hi from holdfast.partition p
    where p.hi <= v_last and coalesce(p.looked_at, '-infinity') <= v_now - interval '10 minutes' order by p.looked_at nulls first, p.lo limit 1
    for update skip locked;
  if not found then
    return 0;
  end if;
  update holdfast.partition set looked_at = v_now where lo = v_lo;

  -- What may go. The table is made here and not by `create temp`, so that it works through a transaction pooler.
  execute format('create unlogged table holdfast.pruned_%s as
    select a.job_id from holdfast.attempt_%s a join holdfast.queue q on q.id = a.queue_id
    where a.final and q.retention_ms is not null and a.finished_at <= $1 - interval ''1 ms'' * q.retention_ms', v_lo, v_lo) using v_now;
  execute format('select count(*) from holdfast.pruned_%s', v_lo) into v_gone;
  execute format('select count(*) from holdfast.job_%s', v_lo) into v_all;
  if v_gone = 0 or v_all - v_gone > v_all / 5 then
    execute format('drop table holdfast.pruned_%s', v_lo);
    return 0;
  end if;
  execute format('alter table holdfast.pruned_%s add primary key (job_id)', v_lo);
  execute format('select count(*) from holdfast.attempt_%s a join holdfast.pruned_%s g on g.job_id = a.job_id where a.final and a.moved_to <> ''succeeded''', v_lo, v_lo)
    into v_before;

  begin
    execute format('lock table holdfast.attempt_%s in share row exclusive mode', v_lo);
    execute format('select count(*) from holdfast.attempt_%s a join holdfast.pruned_%s g on g.job_id = a.job_id where a.final and a.moved_to <> ''succeeded''', v_lo, v_lo)
      into v_after;
    if v_after = v_before then
      v_kept := holdfast.swap_range(v_lo, v_hi);
    end if;
  exception when lock_not_available then
    v_kept := null;
  end;
  execute format('drop table holdfast.pruned_%s', v_lo);
  if v_kept is null then
    -- Somebody was in the way: look again at the next pass.
    update holdfast.partition set looked_at = null where lo = v_lo;
    return 0;
  end if;
  return v_gone;
end $$;
