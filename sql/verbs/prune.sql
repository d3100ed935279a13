-- Drops history: a range of jobs whose ended ones have outlived their queue's retention. Answers how many jobs went. Call it
-- alone, not in a transaction with other work: its locks last until the commit.
--
-- What must stay (live jobs, jobs ended lately) is copied into a small table that takes the range's place, and the old one is
-- dropped whole: a moment of locks instead of a million deletes. Swapping needs every reader and writer of `job` to let go: we
-- wait at most 100 ms for that, because everybody else waits behind us, and come back later.
-- A range of which more than a fifth must stay, or less than a fifth of what is left would go, is left for another day.
create or replace function holdfast.prune() returns bigint
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '100ms'
set jit = off
set plan_cache_mode = force_custom_plan
as $$
declare
  v_now timestamptz := holdfast.now();
  v_last bigint := (select s.last_value from holdfast.job_id_seq s);
  v_shortest interval := (select interval '1 ms' * least(min(q.retention_ms), 31536000000000) from holdfast.queue q);
  v_lo bigint;
  v_hi bigint;
  v_middle timestamptz;
  v_all bigint;
  v_gone bigint;
  v_kept bigint;
begin
  perform holdfast.check_sight(p_all => true);
  if current_setting('transaction_isolation') in ('repeatable read', 'serializable') then
    raise exception using errcode = 'invalid_transaction_state',
      message = 'prune needs the isolation level read committed: with an old snapshot it would drop what others write meanwhile';
  end if;
  -- The turn is a write, so it is taken only where there is something to look at.
  if v_shortest is null or not exists (select from holdfast.partition p
      where p.hi <= v_last and coalesce(p.looked_at, '-infinity') <= v_now - interval '10 minutes')
    or not holdfast.take_turn('prune', false) then
    return 0;
  end if;

  loop
    select p.lo, p.hi into v_lo, v_hi from holdfast.partition p
      where p.hi <= v_last and coalesce(p.looked_at, '-infinity') <= v_now - interval '10 minutes'
      order by p.looked_at nulls first, p.lo limit 1;
    if not found then
      return 0;
    end if;
    update holdfast.partition set looked_at = v_now where lo = v_lo;
    -- Jobs are made in the order of their ids: while one past the middle is too young, so are more than may stay.
    execute format('select j.created_at from holdfast.job_%s j where j.id >= $1 order by j.id limit 1', v_lo)
      into v_middle using v_lo + (v_hi - v_lo) / 5 * 3;
    exit when v_middle is null or v_middle <= v_now - v_shortest;
  end loop;

  -- What may go. The table is made here and not by `create temp`, so that it works through a transaction pooler.
  execute format('create unlogged table holdfast.pruned_%s as
    select a.job_id, a.attempt, a.moved_to <> ''succeeded'' as may_return from holdfast.attempt_%s a join holdfast.queue q on q.id = a.queue_id
    where a.final and a.finished_at <= $1 - interval ''1 ms'' * least(q.retention_ms, 31536000000000)', v_lo, v_lo) using v_now;
  execute format('select count(*) from holdfast.pruned_%s', v_lo) into v_gone;
  execute format('select count(*) from holdfast.job_%s', v_lo) into v_all;
  if v_gone > 0 and v_all - v_gone <= (v_hi - v_lo) / 5 and v_gone >= v_all / 5 then
    execute format('alter table holdfast.pruned_%s add primary key (job_id)', v_lo);
    begin
      v_kept := holdfast.swap_range(v_lo, v_hi);
      execute format('select count(*) from holdfast.pruned_%s', v_lo) into v_gone;
    exception when lock_not_available then
      -- Somebody was in the way: look again at the next pass.
      update holdfast.partition set looked_at = null where lo = v_lo;
    end;
  end if;
  execute format('drop table holdfast.pruned_%s', v_lo);
  return case when v_kept is null then 0 else v_gone end;
end $$;
