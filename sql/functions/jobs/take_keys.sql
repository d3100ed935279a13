-- Decides which of the new jobs with a key may be created: one live job per (queue, key), also between
-- concurrent calls.
--
-- Keys are inserted sorted (no deadlock between two batches); an insert that meets an uncommitted rival waits
-- for it. The winners are read in a new statement, and a key without a winner (the rival rolled back, or its
-- job just ended) is tried again. `on conflict do update` would be one statement, but it would lock the
-- winner's key until our caller commits, and the finish of that job would wait for us. With p_wait_ms a key
-- that its rival still holds after that long is not waited for: its jobs come back taken by 0.
create or replace function holdfast.take_keys(p_rows holdfast.new_job[], p_wait_ms int)
  returns holdfast.new_job[]
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_rows holdfast.new_job[] := p_rows;
  v_undecided boolean;
  v_replaced record;
  v_withdrawn record;
  v_live holdfast.live;
begin
  for attempt in 1..10 loop
    if p_wait_ms is null then
      perform holdfast.insert_keys(v_rows);
    else
      v_rows := holdfast.insert_free_keys(v_rows, p_wait_ms);
    end if;

    select bool_or(r.key is not null and d.job_id is null and r.taken_by is distinct from 0),
        array_agg((r.n, r.id, case r.taken_by when 0 then 0 else nullif(d.job_id, r.id) end, r.queue_id,
          r.priority, r.pending, r.kind, r.input, r.key, r.target, r.subject, r.run_at, r.max_retries,
          r.timeout_ms, r.token_limit, r.item_goal, r.collection, r.created_by, r.trace, r.labels,
          r.parent_id, r.retry_of)::holdfast.new_job order by r.n)
      into v_undecided, v_rows
      from unnest(v_rows) r left join holdfast.dedup d on d.queue_id = any (array[r.queue_id])
        and d.key = r.key;

    -- In a queue with dedup = replace the new job replaces a waiting one; a running one stays.
    for v_replaced in
      select distinct r.taken_by from unnest(v_rows) r join holdfast.queue q on q.id = r.queue_id
      where q.dedup = 'replace' and r.taken_by > 0 and r.taken_by not in (select m.id from unnest(v_rows) m)
      order by r.taken_by
    loop
      v_withdrawn := holdfast.withdraw(v_replaced.taken_by);
      if v_withdrawn.state is not null then
        -- Its target is settled later: settled here, we would hold its lane while waiting for those of the
        -- new jobs.
        v_live := v_withdrawn.live;
        insert into holdfast.lane_todo (lane, ended) select v_live.lane, v_live.job_id
          where v_live.lane is not null;
        v_live.lane := null;
        perform holdfast.to_ended(v_live, 'canceled', 'replaced');
        perform holdfast.add_event('replaced', v_live.job_id, v_live.queue_id, null, null);
        v_undecided := true;
      end if;
    end loop;

    if not v_undecided then
      return v_rows;
    end if;
  end loop;
  perform holdfast.refuse('conflict', 'The key changed hands ten times while we tried to take it.');
end $$;

-- Inserts the free keys of these jobs, sorted, so that two batches never deadlock. Waits for uncommitted
-- rivals.
create or replace function holdfast.insert_keys(p_rows holdfast.new_job[]) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  insert into holdfast.dedup (queue_id, key, job_id)
    select r.queue_id, r.key, min(r.id) from unnest(p_rows) r where r.key is not null
      and r.taken_by is distinct from 0
    group by r.queue_id, r.key order by r.queue_id, r.key collate "C"
    on conflict (queue_id, key) do nothing
$$;

-- insert_keys with a deadline: keys that another transaction still holds after p_wait_ms are marked as taken
-- by 0.
create or replace function holdfast.insert_free_keys(p_rows holdfast.new_job[], p_wait_ms int)
  returns holdfast.new_job[]
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_rows holdfast.new_job[] := p_rows;
  v_key record;
  v_position int;
begin
  begin
    perform holdfast.insert_keys(v_rows);
    return v_rows;
  exception when lock_not_available then
    null;
  end;
  perform set_config('lock_timeout', '2', true);
  for v_key in
    select r.queue_id, r.key, min(r.id) as id, array_agg(i) as places
    from generate_subscripts(v_rows, 1) i cross join lateral (select (v_rows[i]).*) r
    where r.key is not null and r.taken_by is distinct from 0
    group by r.queue_id, r.key order by r.queue_id, r.key collate "C"
  loop
    begin
      insert into holdfast.dedup (queue_id, key, job_id) values (v_key.queue_id, v_key.key, v_key.id)
        on conflict (queue_id, key) do nothing;
    exception when lock_not_available then
      foreach v_position in array v_key.places loop
        v_rows[v_position].taken_by := 0;
      end loop;
    end;
  end loop;
  perform set_config('lock_timeout', greatest(p_wait_ms, 1)::text, true);
  return v_rows;
end $$;

-- Refuses a call that wants all of its jobs or none (p_all), if the key of one is taken in a queue that
-- rejects duplicates; and, as if it had waited for the lock itself, if another transaction still holds a key:
-- nothing is enqueued.
create or replace function holdfast.check_keys(p_rows holdfast.new_job[], p_all boolean) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_taken record;
begin
  if exists (select from unnest(p_rows) r where r.taken_by = 0) then
    raise exception using errcode = 'lock_not_available',
      message = 'A transaction that has not ended holds a key of this call.';
  end if;
  select a.n, a.job_id into v_taken from holdfast.enqueue_answer(p_rows) a where p_all
    and a.status = 'rejected' order by a.n limit 1;
  if found then
    perform holdfast.refuse('key_taken',
      format('Job %s has the key of the job at /jobs/%s and has not ended.', v_taken.job_id, v_taken.n - 1),
      jsonb_build_object('job_id', v_taken.job_id, 'path', format('/jobs/%s/key', v_taken.n - 1)));
  end if;
end $$;
