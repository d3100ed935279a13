-- Decides which of the new jobs with a key may be made: one live job per (queue, key), whoever comes at the same time.
--
-- Keys are inserted sorted (no deadlock between two batches); an insert that meets an uncommitted rival waits for it. The
-- winners are read in a new statement, and a key without a winner (the rival rolled back, or its job just ended) is tried
-- again. `on conflict do update` would be one statement, but it would lock the winner's key until our caller commits, and
-- the finish of that job would wait for us.
-- With p_wait_ms a key that its rival still holds after that long is not waited for any longer: its jobs come back taken by 0.
create or replace function holdfast.take_keys(p_rows holdfast.new_job[], p_wait_ms int) returns holdfast.new_job[]
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_rows holdfast.new_job[] := p_rows;
  v_undecided boolean;
  v_old record;
  v_lifted record;
  v_live holdfast.live;
begin
  for attempt in 1..10 loop
    if p_wait_ms is null then
      perform holdfast.insert_keys(v_rows);
    else
      v_rows := holdfast.insert_free_keys(v_rows, p_wait_ms);
    end if;

    select bool_or(r.key is not null and d.job_id is null and r.taken_by is distinct from 0),
        array_agg((r.n, r.id, case r.taken_by when 0 then 0 else nullif(d.job_id, r.id) end, r.queue_id, r.priority, r.pending, r.kind, r.input, r.key, r.target, r.subject,
          r.run_at, r.max_retries, r.timeout_ms, r.token_limit, r.target_count, r.collection, r.created_by, r.trace, r.labels,
          r.parent_id, r.retry_of)::holdfast.new_job order by r.n)
      into v_undecided, v_rows
      from unnest(v_rows) r left join holdfast.dedup d on d.queue_id = any (array[r.queue_id]) and d.key = r.key;

    -- Where the queue says so, a waiting job gives way to the new one; one that is running already does not.
    for v_old in
      select distinct r.taken_by from unnest(v_rows) r join holdfast.queue q on q.id = r.queue_id
      where q.dedup = 'replace' and r.taken_by > 0 and r.taken_by not in (select m.id from unnest(v_rows) m)
      order by r.taken_by
    loop
      v_lifted := holdfast.lift(v_old.taken_by);
      if v_lifted.state is not null then
        -- Its target goes on later: settled here, we would hold its lane while waiting for those of the new jobs.
        v_live := v_lifted.live;
        insert into holdfast.lane_todo (lane, ended) select v_live.lane, v_live.job_id where v_live.lane is not null;
        v_live.lane := null;
        perform holdfast.to_ended(v_live, 'canceled', 'replaced');
        perform holdfast.note('replaced', v_live.job_id, v_live.queue_id, null, null);
        v_undecided := true;
      end if;
    end loop;

    if not v_undecided then
      return v_rows;
    end if;
  end loop;
  perform holdfast.refuse('conflict', 'The key changed hands ten times while we tried to take it.');
end $$;
