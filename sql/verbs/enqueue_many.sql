-- Accepts jobs: into `ready`, or `delayed` until run_at, or `held` when pending or behind its target.
--
-- p_jobs is an array of objects: queue, kind, input; and, where wanted, key, target, subject, priority, run_at or delay_ms,
-- pending, max_retries, timeout_ms, token_limit, target_count, collection, created_by, trace, labels, parent_id, retry_of.
-- Call it in your own transaction: the jobs exist if and when you commit. Then it takes no lane (a long transaction would
-- stall the target); the next claim puts the job in line. p_settle says that this call is a transaction of its own, so that
-- it may do so at once. With p_idempotency_key the same call again (its reply was lost) makes nothing and answers the same.
-- p_plain_queues, if given, says that no job has a key, a target, a subject, a delay or is pending, and names their queues: the way
-- is shorter then.
-- p_wait_ms, for a call that is a transaction of its own: wait no longer than this for the lock of another transaction. A key that is still
-- held then is answered as busy, a busy line of a target is left to the next claim, and anything else ends the call with SQLSTATE 55P03.
-- p_wake: the commit wakes workers that wait for these queues; in a caller's transaction at most once in ten milliseconds for a queue (see
-- wake_at_commit). Where it is false, or every job has "wake": false, it wakes nobody.
-- p_all: all of the jobs or none; a key that is taken in a queue that rejects that refuses the call.
-- p_by_kind: what the kind of a job declares (declare_kinds) holds where the job itself does not give a value.
-- status: created · existing (a live job has the key, and that is its id) · rejected (likewise, where the queue rejects) · busy (an open
-- transaction holds the key; nothing was made).
create or replace function holdfast.enqueue_many(
  p_jobs jsonb, p_tenant text default 'default', p_idempotency_key text default null, p_fingerprint text default null,
  p_settle boolean default false, p_plain_queues text[] default null, p_wait_ms int default null, p_wake boolean default true,
  p_by_kind boolean default true, p_all boolean default false
) returns table (n int, job_id bigint, status text)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_now timestamptz := holdfast.now();
  v_rows holdfast.new_job[];
  v_missing text;
  v_stored record;
  v_queues int[];
  v_targets text[];
  v_live holdfast.live[];
  v_ids bigint[];
  v_jobs jsonb;
  v_wake boolean := p_wake and jsonb_path_exists(p_jobs, '$[*] ? (!(@.wake == false))');
begin
  perform holdfast.check_tenant(p_tenant);
  if p_by_kind then
    v_jobs := holdfast.with_kinds(p_jobs, p_tenant);
    if v_jobs is not null then
      p_jobs := v_jobs;
      p_plain_queues := case when not jsonb_path_exists(p_jobs, '$[*] ? (exists(@.key) || exists(@.target))') then p_plain_queues end;
    end if;
  end if;
  if p_wait_ms is not null then
    perform set_config('lock_timeout', greatest(p_wait_ms, 1)::text, true);
  end if;
  if p_plain_queues is not null then
    -- Numbered before anything is written: then the answer is known to whoever sends this call again, and need not be added later.
    v_ids := array(select nextval('holdfast.job_id_seq') from generate_series(1, jsonb_array_length(p_jobs)));
  end if;
  if p_idempotency_key is not null then
    loop
      insert into holdfast.idempotency (tenant, key, fingerprint, job_ids, created_at)
        values (p_tenant, p_idempotency_key, p_fingerprint, v_ids, v_now)
        on conflict (tenant, key) do nothing;
      exit when found;
      select i.fingerprint, i.job_ids, i.statuses into v_stored from holdfast.idempotency i where i.tenant = p_tenant and i.key = p_idempotency_key;
      if found then
        if v_stored.fingerprint is distinct from p_fingerprint then
          perform holdfast.refuse('idempotency_mismatch', 'This idempotency key was used for another request.');
        end if;
        return query select a.n::int, a.job_id, coalesce(a.status, 'created')
          from unnest(v_stored.job_ids, v_stored.statuses) with ordinality a (job_id, status, n) order by a.n;
        return;
      end if;
    end loop;
  end if;

  for v_missing in
    select r.queue from (
      select distinct x.queue from jsonb_to_recordset(p_jobs) x (queue text) where p_plain_queues is null
      union all
      select u.queue from unnest(p_plain_queues) u (queue)) r
    where not exists (select from holdfast.queue q where q.tenant = p_tenant and q.name = r.queue) order by r.queue
  loop
    perform holdfast.create_queue(v_missing, p_tenant => p_tenant, p_if_missing => true);
  end loop;

  if v_ids is not null then
    perform holdfast.enqueue_plain(p_jobs, v_ids, p_tenant, p_settle, v_wake);
    return query select t.n::int, t.id, 'created' from unnest(v_ids) with ordinality t (id, n);
    return;
  end if;

  -- Numbered in the order asked, whatever the join does: the number is the job's place in the queue.
  select array_agg((r.n, nextval('holdfast.job_id_seq'), null, r.queue_id, coalesce(r.priority, 0), coalesce(r.pending, false), r.kind,
      coalesce(r.input, 'null'), coalesce(r.key, case r.dedup_by when 'subject' then r.subject end), r.target, r.subject,
      coalesce(r.run_at, v_now + interval '1 ms' * r.delay_ms), r.max_retries, r.timeout_ms, r.token_limit, r.target_count,
      r.collection, r.created_by, r.trace, r.labels, r.parent_id, r.retry_of)::holdfast.new_job)
    into v_rows
    from (select r.*, q.id as queue_id, q.dedup_by
      from rows from (jsonb_to_recordset(p_jobs) as (queue text, kind text, input jsonb, key text, target text, subject text, priority smallint,
        run_at timestamptz, delay_ms bigint, pending boolean, max_retries int, timeout_ms int, token_limit bigint, target_count bigint,
        collection text, created_by text, trace text, labels jsonb, parent_id bigint, retry_of bigint)) with ordinality
      r (queue, kind, input, key, target, subject, priority, run_at, delay_ms, pending, max_retries, timeout_ms, token_limit,
        target_count, collection, created_by, trace, labels, parent_id, retry_of, n)
      join holdfast.queue q on q.tenant = p_tenant and q.name = r.queue order by r.n) r;

  perform holdfast.make_room(v_rows[cardinality(v_rows)].id, p_settle);

  if exists (select from unnest(v_rows) r where r.key is not null) then
    v_rows := holdfast.take_keys(v_rows, p_wait_ms);
    if p_all or p_fingerprint is not null then
      perform holdfast.check_keys(v_rows, p_all);
    end if;
  end if;

  with new as materialized (
    select r.*, q.external_trigger, case q.order_by when 'fifo' then 0 else 100 - r.priority end::smallint as level,
      case
        when r.pending then 'pending'
        when r.run_at > v_now then 'delayed'
        when r.target is not null and q.serialize_targets then 'lane'
        else 'ready'
      end as place
    from unnest(v_rows) r join holdfast.queue q on q.id = r.queue_id
    where r.taken_by is null),
  recorded as (
    insert into holdfast.job (id, created_at, queue_id, priority_asked, kind, input, key, target, subject, run_at, max_retries, timeout_ms,
      token_limit, target_count, collection, created_by, trace, labels, parent_id, retry_of)
    select w.id, v_now, w.queue_id, w.priority, w.kind, w.input, w.key, w.target, w.subject, w.run_at, w.max_retries, w.timeout_ms,
      w.token_limit, w.target_count, w.collection, w.created_by, w.trace, w.labels, w.parent_id, w.retry_of
    from new w),
  readied as (
    insert into holdfast.ready (job_id, queue_id, attempt, interruptions, priority, failures, losses, keyed, level)
    select w.id, w.queue_id, 0, 0, w.priority, 0, 0, w.key is not null, w.level from new w where w.place = 'ready'),
  put_off as (
    insert into holdfast.delayed (job_id, queue_id, attempt, interruptions, priority, failures, losses, keyed, state, due_at)
    select w.id, w.queue_id, 0, 0, w.priority, 0, 0, w.key is not null, 'scheduled', w.run_at from new w where w.place = 'delayed'),
  set_aside as (
    insert into holdfast.held (job_id, queue_id, attempt, interruptions, priority, failures, losses, keyed, state, since, target)
    select w.id, w.queue_id, 0, 0, w.priority, 0, 0, w.key is not null,
      case w.place when 'pending' then 'pending' else 'waiting' end::holdfast.held_state, v_now, w.target
    from new w where w.place = 'pending' or w.place = 'lane' and not p_settle),
  called as (
    insert into holdfast.outbox (job_id, queue_id, created_at, trigger)
    select w.id, w.queue_id, v_now, w.external_trigger from new w where w.external_trigger is not null and w.place = 'ready'),
  told as (
    insert into holdfast.event (at, tenant, queue_id, type, job_ids, wake)
    select v_now, p_tenant, case when min(w.queue_id) = max(w.queue_id) then min(w.queue_id) end, 'enqueued', array_agg(w.id),
      case when v_wake and not p_settle and bool_or(w.place in ('ready', 'lane')) then true end
    from new w having count(*) > 0)
  select array_agg(w.queue_id), array_agg(w.target),
      array_agg((w.id, null, null, w.queue_id, 0, 0, w.priority, 0, 0, w.key is not null)::holdfast.live)
    into v_queues, v_targets, v_live
    from new w where w.place = 'lane' and p_settle;

  if v_queues is not null then
    perform holdfast.place_or_leave(v_queues, v_targets, v_live, p_wait_ms);
  end if;
  if v_wake and p_settle then
    perform holdfast.wake(array(select distinct r.queue_id from unnest(v_rows) r
      where r.taken_by is null and not r.pending and (r.run_at is null or r.run_at <= v_now)));
  end if;

  if p_idempotency_key is not null then
    update holdfast.idempotency i set job_ids = a.job_ids, statuses = a.statuses
      from (select array_agg(e.job_id order by e.n) as job_ids,
              case when bool_or(e.status <> 'created') then array_agg(e.status order by e.n) end as statuses
            from holdfast.enqueue_answer(v_rows) e) a
      where i.tenant = p_tenant and i.key = p_idempotency_key;
  end if;
  return query select a.n, a.job_id, a.status from holdfast.enqueue_answer(v_rows) a;
end $$;
