-- Drops history: a range of jobs whose ended ones have outlived their queue's retention, or their queue.
-- Returns how many jobs were dropped. Call it alone, not in a transaction with other work: its locks last
-- until the commit.
--
-- What must stay (live jobs, jobs ended lately) is copied into a small table that takes the range's place,
-- and the old one is dropped whole: a moment of locks instead of a million deletes. The swap needs every
-- reader and writer of `job` to let go: it waits at most 100 ms for that, because all other calls wait behind
-- it, and is tried again later. A range of which more than a fifth must stay, or less than a fifth of the
-- rest would go, is left for another day.
create or replace function holdfast.prune() returns bigint
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '100ms'
as $$
declare
  v_now timestamptz := holdfast.now();
  v_last bigint := (select s.last_value from holdfast.job_id_seq s);
  v_shortest interval := (select interval '1 ms' * least(min(q.retention_ms), 31536000000000)
    from holdfast.queue q);
  v_lo bigint;
  v_hi bigint;
  v_middle timestamptz;
  v_all bigint;
  v_dropped bigint;
  v_kept bigint;
begin
  perform holdfast.check_sight(p_all => true);
  if current_setting('transaction_isolation') in ('repeatable read', 'serializable') then
    raise exception using errcode = 'invalid_transaction_state',
      message = 'prune needs the isolation level read committed: '
        'with an old snapshot it would drop what others write meanwhile';
  end if;
  -- The turn is a write, so it is taken only if there is a range to check.
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
    -- Jobs are created in the order of their ids: while one past the middle is too young, so are more than
    -- may stay.
    execute format('select j.created_at from holdfast.job_%s j where j.id >= $1 order by j.id limit 1', v_lo)
      into v_middle using v_lo + (v_hi - v_lo) / 5 * 3;
    exit when v_middle is null or v_middle <= v_now - v_shortest;
  end loop;

  -- Jobs to drop. Not a temporary table, so that it works through a transaction pooler.
  execute format('create unlogged table holdfast.pruned_%s as
    select a.job_id, a.attempt, a.moved_to <> ''succeeded'' as may_return from holdfast.attempt_%s a
      left join holdfast.queue q on q.id = a.queue_id
    where a.final and (q.id is null or a.finished_at <= $1 - interval ''1 ms'' * least(q.retention_ms,
      31536000000000))', v_lo, v_lo) using v_now;
  execute format('select count(*) from holdfast.pruned_%s', v_lo) into v_dropped;
  execute format('select count(*) from holdfast.job_%s', v_lo) into v_all;
  if v_dropped > 0 and v_all - v_dropped <= (v_hi - v_lo) / 5 and v_dropped >= v_all / 5 then
    execute format('alter table holdfast.pruned_%s add primary key (job_id)', v_lo);
    begin
      v_kept := holdfast.swap_range(v_lo, v_hi);
      execute format('select count(*) from holdfast.pruned_%s', v_lo) into v_dropped;
    exception when lock_not_available then
      -- Another transaction was in the way: try again at the next pass.
      update holdfast.partition set looked_at = null where lo = v_lo;
    end;
  end if;
  execute format('drop table holdfast.pruned_%s', v_lo);
  return case when v_kept is null then 0 else v_dropped end;
end $$;

-- Replaces a range of `job` and `attempt` by the rows that stay (all that are not listed in pruned_<lo>);
-- returns how many jobs stay. A range of which nothing stays is not replaced: its ids are never used again.
--
-- The long work comes first and blocks no other call: a job row never changes, so the range's last writers
-- are waited for and the rows copied. Then no job may end or come back while the few rows of `attempt` that
-- stay are copied and jobs that came back since the list was made (only one that did not succeed can) are
-- taken off it. Last, under an exclusive lock, the tables change places. `job` is locked first: a reader that
-- has it keeps us from the rest, so none sees half of the swap.
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
    execute format('create table holdfast.%1$s_%2$s_kept (like holdfast.%1$s
      including defaults including constraints including storage including indexes,
        constraint in_range check (%3$s >= %2$s and %3$s < %4$s))', v_name, p_lo, v_column, p_hi);
  end loop;
  execute format('lock table holdfast.job_%s in share mode', p_lo);
  execute format('insert into holdfast.job_%1$s_kept select j.* from holdfast.job_%1$s j
    where not exists (select from holdfast.pruned_%1$s g where g.job_id = j.id)', p_lo);
  execute format('analyze holdfast.job_%s_kept', p_lo);
  execute format('delete from holdfast.progress p using holdfast.pruned_%s g
    where p.job_id = g.job_id and not g.may_return', p_lo);

  execute format('lock table holdfast.attempt_%s in share row exclusive mode', p_lo);
  execute format('with back as (
      delete from holdfast.pruned_%1$s g where g.may_return
        and not exists (select from holdfast.attempt_%1$s a where a.job_id = g.job_id
          and a.attempt = g.attempt and a.final)
      returning g.job_id)
    insert into holdfast.job_%1$s_kept select j.* from back b
      join holdfast.job_%1$s j on j.id = b.job_id', p_lo);
  execute format('insert into holdfast.attempt_%1$s_kept select a.* from holdfast.job_%1$s_kept j
    join holdfast.attempt_%1$s a on a.job_id = j.id', p_lo);
  execute format('delete from holdfast.progress p using holdfast.pruned_%s g
    where p.job_id = g.job_id and g.may_return', p_lo);
  execute format('select count(*) from holdfast.job_%s_kept', p_lo) into v_kept;

  execute format('delete from holdfast.search_value s using holdfast.pruned_%s g
    where s.job_id >= %s and s.job_id < %s and s.job_id = g.job_id', p_lo, p_lo, p_hi);

  lock table only holdfast.job, only holdfast.attempt in access exclusive mode;
  foreach v_name in array array['job', 'attempt'] loop
    execute format('alter table holdfast.%1$s detach partition holdfast.%1$s_%2$s', v_name, p_lo);
    execute format('drop table holdfast.%s_%s', v_name, p_lo);
    if v_kept = 0 then
      execute format('drop table holdfast.%s_%s_kept', v_name, p_lo);
    else
      execute format('alter table holdfast.%1$s_%2$s_kept rename to %1$s_%2$s', v_name, p_lo);
      execute format('alter table holdfast.%1$s attach partition holdfast.%1$s_%2$s
        for values from (%2$s) to (%3$s)', v_name, p_lo, p_hi);
      execute format('alter table holdfast.%s_%s drop constraint in_range', v_name, p_lo);
    end if;
  end loop;
  if v_kept = 0 then
    delete from holdfast.partition p where p.lo = p_lo;
  end if;
  return v_kept;
end $$;
