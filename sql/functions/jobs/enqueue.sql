-- Enqueues one job, from any SQL: select holdfast.enqueue('emails', 'welcome', '{"to": 7}', '{"priority":
-- 50}'). Returns the job's id, or that of the live job that has the same key.
create or replace function holdfast.enqueue(p_queue text, p_kind text, p_input jsonb default '{}',
  p_options jsonb default '{}', p_tenant text default 'default') returns bigint
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_enqueued record;
begin
  select e.job_id, e.status into v_enqueued
    from holdfast.enqueue_many(jsonb_build_array(p_options || jsonb_build_object('queue', p_queue, 'kind',
      p_kind, 'input', p_input)), p_tenant) e;
  if v_enqueued.status = 'rejected' then
    perform holdfast.refuse('key_taken', format('The job %s has this key and has not ended.',
      v_enqueued.job_id), jsonb_build_object('job_id', v_enqueued.job_id));
  end if;
  return v_enqueued.job_id;
end $$;

-- Enqueues jobs: into `ready`, or `delayed` until run_at, or `held` when pending or behind its target.
--
-- p_jobs is an array of objects: queue, kind, input; and, where wanted, key, target, subject, priority,
-- run_at or delay_ms, pending, max_retries, timeout_ms, token_limit, item_goal, collection, created_by,
-- trace, labels, parent_id, retry_of, preset (of the queue, if it does not exist yet; refused if it has
-- another). Call it in your own transaction: the jobs exist if and when you commit.
-- Then it locks no lane (a long transaction would stall the target); the next claim puts the job in line.
--
--   p_settle: this call is a transaction of its own, so it may put jobs in line at once.
--   p_idempotency_key: the same call again (its reply was lost) enqueues nothing and returns the same.
--   p_plain_queues: no job has a key, a target, a subject, a delay or is pending, and these are their queues;
--     the path is shorter then.
--   p_wait_ms: for a call that is a transaction of its own, the longest wait for another transaction's lock.
--     A key that is still held then is returned as busy, a busy line of a target is left to the next claim,
--     and anything else ends the call with SQLSTATE 55P03.
--   p_wake: the commit wakes workers that wait for these queues; in a caller's transaction at most once in
--     ten milliseconds for a queue (see wake_at_commit). If it is false, or every job has "wake": false, it
--     wakes none.
--   p_all: all of the jobs or none; a key that is taken in a queue that rejects duplicates refuses the call.
--   p_by_kind: what the kind of a job declares (declare_kinds) applies where the job itself has no value, and
--     a kind that is not declared is refused in a queue that has declared kinds (refuse_unknown_kinds).
--   status: created, existing (a live job has the key, and this is its id), rejected (likewise, where the
--     queue rejects duplicates), busy (an open transaction holds the key; nothing was enqueued).
create or replace function holdfast.enqueue_many(
  p_jobs jsonb, p_tenant text default 'default', p_idempotency_key text default null,
    p_fingerprint text default null, p_settle boolean default false, p_plain_queues text[] default null,
    p_wait_ms int default null, p_wake boolean default true, p_by_kind boolean default true,
    p_all boolean default false
) returns table (n int, job_id bigint, status text)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
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
  v_other text[];
  v_wake boolean := p_wake and jsonb_path_exists(p_jobs, '$[*] ? (!(@.wake == false))');
begin
  perform holdfast.check_tenant(p_tenant);
  if p_by_kind then
    perform holdfast.refuse_unknown_kinds(p_jobs, p_tenant);
    v_jobs := holdfast.with_kinds(p_jobs, p_tenant);
    if v_jobs is not null then
      p_jobs := v_jobs;
      p_plain_queues := case when not jsonb_path_exists(p_jobs, '$[*] ? (exists(@.key) || exists(@.target))')
        then p_plain_queues end;
    end if;
  end if;
  if p_wait_ms is not null then
    perform set_config('lock_timeout', greatest(p_wait_ms, 1)::text, true);
  end if;
  if p_plain_queues is not null then
    -- Numbered before anything is written: then the stored answer for a repeated call is complete at once.
    v_ids := array(select nextval('holdfast.job_id_seq') from generate_series(1, jsonb_array_length(p_jobs)));
  end if;
  if p_idempotency_key is not null then
    loop
      insert into holdfast.idempotency (tenant, key, fingerprint, job_ids, created_at)
        values (p_tenant, p_idempotency_key, p_fingerprint, v_ids, v_now)
        on conflict (tenant, key) do nothing;
      exit when found;
      select i.fingerprint, i.job_ids, i.statuses into v_stored from holdfast.idempotency i
        where i.tenant = p_tenant and i.key = p_idempotency_key;
      if found then
        if v_stored.fingerprint is distinct from p_fingerprint then
          perform holdfast.refuse('idempotency_mismatch',
            'This idempotency key was used for another request.');
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
    where not exists (select from holdfast.queue q where q.tenant = p_tenant and q.name = r.queue)
      order by r.queue
  loop
    perform holdfast.create_queue(v_missing, coalesce((select x.preset from jsonb_to_recordset(p_jobs)
      x (queue text, preset text) where x.queue = v_missing and x.preset is not null limit 1), 'default'),
      p_tenant => p_tenant, p_if_missing => true);
  end loop;

  if v_ids is not null then
    perform holdfast.enqueue_plain(p_jobs, v_ids, p_tenant, p_settle, v_wake);
    if exists (select from holdfast.kind k where k.tenant = p_tenant and k.search is not null) then
      perform holdfast.index_inputs(p_jobs, v_ids, p_tenant);
    end if;
    return query select t.n::int, t.id, 'created' from unnest(v_ids) with ordinality t (id, n);
    return;
  end if;

  -- Numbered in the order of the call, whatever the join does: the number is the job's place in the queue.
  select array_agg((r.n, nextval('holdfast.job_id_seq'), null, r.queue_id, coalesce(r.priority, 0),
    coalesce(r.pending, false), r.kind,
      coalesce(r.input, 'null'), coalesce(r.key, case r.dedup_by when 'subject' then r.subject end), r.target,
        r.subject,
      coalesce(r.run_at, v_now + interval '1 ms' * r.delay_ms), r.max_retries, r.timeout_ms, r.token_limit,
        r.item_goal, r.collection, r.created_by, r.trace, r.labels, r.parent_id,
        r.retry_of)::holdfast.new_job),
      min(case when r.preset <> r.queue_preset then array[r.queue, r.queue_preset, r.preset] end)
    into v_rows, v_other
    from (select r.*, q.id as queue_id, q.dedup_by, q.preset as queue_preset
      from rows from (jsonb_to_recordset(p_jobs) as (queue text, kind text, input jsonb, key text,
        target text, subject text, priority smallint, run_at timestamptz, delay_ms bigint, pending boolean,
        max_retries int, timeout_ms int, token_limit bigint, item_goal bigint, collection text,
        created_by text, trace text, labels jsonb, parent_id bigint, retry_of bigint, preset text))
        with ordinality
      r (queue, kind, input, key, target, subject, priority, run_at, delay_ms, pending, max_retries,
        timeout_ms, token_limit, item_goal, collection, created_by, trace, labels, parent_id, retry_of,
        preset, n)
      join holdfast.queue q on q.tenant = p_tenant and q.name = r.queue order by r.n) r;
  if v_other is not null then
    perform holdfast.refuse('wrong_preset', format('The queue %s has the preset %s, not %s.', v_other[1],
      v_other[2], v_other[3]), jsonb_build_object('queue', v_other[1], 'preset', v_other[2], 'wanted',
        v_other[3], 'path', '/preset'));
  end if;

  perform holdfast.make_room(v_rows[cardinality(v_rows)].id, p_settle);

  if exists (select from unnest(v_rows) r where r.key is not null) then
    v_rows := holdfast.take_keys(v_rows, p_wait_ms);
    if p_all or p_fingerprint is not null then
      perform holdfast.check_keys(v_rows, p_all);
    end if;
  end if;

  with new as materialized (
    select r.*, q.external_trigger, holdfast.level_of(q.order_by, r.priority) as level,
      case
        when r.pending then 'pending'
        when r.run_at > v_now then 'delayed'
        when r.target is not null and q.serialize_targets then 'lane'
        else 'ready'
      end as place
    from unnest(v_rows) r join holdfast.queue q on q.id = r.queue_id
    where r.taken_by is null),
  job_row as (
    insert into holdfast.job (id, created_at, queue_id, initial_priority, kind, input, key, target, subject,
      run_at, max_retries, timeout_ms, token_limit, item_goal, collection, created_by, trace, labels,
      parent_id, retry_of)
    select w.id, v_now, w.queue_id, w.priority, w.kind, w.input, w.key, w.target, w.subject, w.run_at,
      w.max_retries, w.timeout_ms, w.token_limit, w.item_goal, w.collection, w.created_by, w.trace, w.labels,
      w.parent_id, w.retry_of
    from new w),
  ready_row as (
    insert into holdfast.ready (job_id, queue_id, attempt, interruptions, priority, failures, losses, keyed,
      level)
    select w.id, w.queue_id, 0, 0, w.priority, 0, 0, w.key is not null, w.level from new w
      where w.place = 'ready'),
  delayed_row as (
    insert into holdfast.delayed (job_id, queue_id, attempt, interruptions, priority, failures, losses, keyed,
      state, due_at)
    select w.id, w.queue_id, 0, 0, w.priority, 0, 0, w.key is not null, 'scheduled', w.run_at from new w
      where w.place = 'delayed'),
  held_row as (
    insert into holdfast.held (job_id, queue_id, attempt, interruptions, priority, failures, losses, keyed,
      state, since, target)
    select w.id, w.queue_id, 0, 0, w.priority, 0, 0, w.key is not null,
      case w.place when 'pending' then 'pending' else 'waiting' end::holdfast.held_state, v_now, w.target
    from new w where w.place = 'pending' or w.place = 'lane' and not p_settle),
  outbox_row as (
    insert into holdfast.outbox (job_id, queue_id, created_at, trigger)
    select w.id, w.queue_id, v_now, w.external_trigger from new w where w.external_trigger is not null
      and w.place = 'ready'),
  event_row as (
    insert into holdfast.event (at, tenant, queue_id, type, job_ids, wake)
    select v_now, p_tenant, case when min(w.queue_id) = max(w.queue_id) then min(w.queue_id) end, 'enqueued',
      array_agg(w.id),
      case when v_wake and not p_settle and bool_or(w.place in ('ready', 'lane')) then true end
    from new w having count(*) > 0)
  select array_agg(w.queue_id), array_agg(w.target),
      array_agg((w.id, null, null, w.queue_id, 0, 0, w.priority, 0, 0, w.key is not null)::holdfast.live)
    into v_queues, v_targets, v_live
    from new w where w.place = 'lane' and p_settle;

  if exists (select from holdfast.kind k where k.tenant = p_tenant and k.search is not null) then
    perform holdfast.index_inputs(p_jobs, array(select case when r.taken_by is null then r.id end
      from unnest(v_rows) r order by r.n), p_tenant);
  end if;
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

-- Enqueues jobs without key, target or delay that are not pending. One statement, straight from the JSON to
-- `job` and `ready`; 10 us a job where the general path takes 16. The caller has created the queues and
-- numbered the jobs: the number is a job's place in the queue, and other calls take numbers at the same time.
create or replace function holdfast.enqueue_plain(p_jobs jsonb, p_ids bigint[], p_tenant text,
  p_settle boolean, p_wake boolean) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_now timestamptz := holdfast.now();
  v_plain boolean;
  v_count int;
begin
  perform holdfast.make_room(p_ids[cardinality(p_ids)], p_settle);

  with new as materialized (
    select p_ids[r.n] as id, q.id as queue_id, q.external_trigger,
      coalesce(r.priority, 0)::smallint as priority,
        holdfast.level_of(q.order_by, coalesce(r.priority, 0)) as level, r.kind,
          coalesce(r.input, 'null') as input, r.max_retries, r.timeout_ms, r.token_limit, r.item_goal,
          r.collection, r.created_by, r.trace, r.labels, r.parent_id,
        r.key is null and r.target is null and r.subject is null and r.run_at is null and r.delay_ms is null
          and r.pending is not true as plain
      from rows from (jsonb_to_recordset(p_jobs) as (queue text, kind text, input jsonb, priority smallint,
        max_retries int, timeout_ms int, token_limit bigint, item_goal bigint, collection text,
        created_by text, trace text, labels jsonb, parent_id bigint, key text, target text, subject text,
        run_at text, delay_ms text, pending boolean)) with ordinality
        r (queue, kind, input, priority, max_retries, timeout_ms, token_limit, item_goal, collection,
          created_by, trace, labels, parent_id, key, target, subject, run_at, delay_ms, pending, n)
      join holdfast.queue q on q.tenant = p_tenant and q.name = r.queue),
  job_row as (
    insert into holdfast.job (id, created_at, queue_id, initial_priority, kind, input, max_retries,
      timeout_ms, token_limit, item_goal, collection, created_by, trace, labels, parent_id)
    select w.id, v_now, w.queue_id, w.priority, w.kind, w.input, w.max_retries, w.timeout_ms, w.token_limit,
      w.item_goal, w.collection, w.created_by, w.trace, w.labels, w.parent_id
    from new w),
  ready_row as (
    insert into holdfast.ready (job_id, queue_id, attempt, interruptions, priority, failures, losses, keyed,
      level)
    select w.id, w.queue_id, 0, 0, w.priority, 0, 0, false, w.level from new w),
  outbox_row as (
    insert into holdfast.outbox (job_id, queue_id, created_at, trigger)
    select w.id, w.queue_id, v_now, w.external_trigger from new w where w.external_trigger is not null),
  event_row as (
    -- with its queue if there is only one: count_minutes then need not look up the jobs
    insert into holdfast.event (at, tenant, queue_id, type, job_ids, wake)
    select v_now, p_tenant, case when min(w.queue_id) = max(w.queue_id) then min(w.queue_id) end, 'enqueued',
      array_agg(w.id),
      case when p_wake and not p_settle then true end
    from new w having count(*) > 0)
  select bool_and(w.plain), count(*) into v_plain, v_count from new w;

  if v_plain is not true or v_count <> cardinality(p_ids) then
    perform holdfast.refuse('internal',
      'These jobs were passed as plain and are not, or their queue is missing.');
  end if;
  if p_wake and p_settle then
    perform holdfast.wake(array(select distinct q.id from jsonb_to_recordset(p_jobs) r (queue text)
      join holdfast.queue q on q.tenant = p_tenant and q.name = r.queue));
  end if;
end $$;

-- The result for each job of an enqueue, in the order of the call.
create or replace function holdfast.enqueue_answer(p_rows holdfast.new_job[])
  returns table (n int, job_id bigint, status text)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select r.n, case r.taken_by when 0 then null else coalesce(r.taken_by, r.id) end,
    case when r.taken_by = 0 then 'busy' when r.taken_by is null then 'created' when q.dedup = 'reject'
      then 'rejected' else 'existing' end
  from unnest(p_rows) r join holdfast.queue q on q.id = r.queue_id order by r.n
$$;

-- place_in_lanes with a deadline: with p_wait_ms, a lane that another transaction holds for longer is not
-- waited for. The jobs stay arrivals, and the next claim or upkeep puts them in line.
create or replace function holdfast.place_or_leave(p_queues int[], p_targets text[], p_rows holdfast.live[],
  p_wait_ms int) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if p_wait_ms is null then
    perform holdfast.place_in_lanes(p_queues, p_targets, p_rows);
    return;
  end if;
  begin
    perform holdfast.place_in_lanes(p_queues, p_targets, p_rows);
  exception when lock_not_available then
    insert into holdfast.held (job_id, queue_id, attempt, interruptions, priority, failures, losses, keyed,
      state, since, target)
      select r.job_id, r.queue_id, r.attempt, r.interruptions, r.priority, r.failures, r.losses, r.keyed,
        'waiting', holdfast.now(), r.target
      from unnest(p_targets, p_rows) r (target, job_id, lane, ord, queue_id, attempt, interruptions, priority,
        failures, losses, keyed);
  end;
end $$;

-- Indexes the fields of inputs that kinds declare as searchable (kind.search). p_ids has the id of each job
-- of p_jobs, null for one that was not created. Only jobs of such kinds have rows; a field that is missing,
-- or not text, a number, true or false, has none.
create or replace function holdfast.index_inputs(p_jobs jsonb, p_ids bigint[], p_tenant text) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  insert into holdfast.search_value (hash, job_id, queue_id)
    select distinct hashtextextended(s.path || '=' || (j.job -> 'input' #>> string_to_array(s.path, '.')), 0),
      p_ids[j.n], q.id
    from jsonb_array_elements(p_jobs) with ordinality j (job, n)
      join holdfast.kind k on k.tenant = p_tenant and k.kind = j.job ->> 'kind' and k.search is not null
      join holdfast.queue q on q.tenant = p_tenant and q.name = j.job ->> 'queue'
      cross join unnest(k.search) s (path)
    where p_ids[j.n] is not null
      and jsonb_typeof(j.job -> 'input' #> string_to_array(s.path, '.')) in ('string', 'number', 'boolean');
end $$;
