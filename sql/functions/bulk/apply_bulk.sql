-- Applies a bulk operation to a page of jobs, in one transaction with their results and the place of the next
-- page. So after a crash the page was applied whole or not at all.
--
-- p_runner and p_page are the fence: a process whose time is over, and one that sends a page again, change
-- nothing (applied = false; state is that of the operation). Jobs of other tenants, those created or ended
-- after `until`, and those that have a result already are left out. p_cursor is where the next page begins,
-- null after the last. queues: where jobs may have become claimable. p_states are the states that the search
-- names, null if it names none: a job that has left them since the search refuses.
--
-- A page waits for no lock longer than half a second, less than deadlock_timeout: in a deadlock it is the
-- page that is rolled back and tried again, never the enqueue or claim of a program.
create or replace function holdfast.apply_bulk(
  p_operation bigint, p_runner text, p_page int, p_jobs bigint[], p_cursor text,
  p_jobs_max int default 100000, p_lease interval default '15 seconds',
  p_states text[] default null, out applied boolean, out state text, out queues text[], out jobs int)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '500ms'
as $$
#variable_conflict use_column
declare
  v_now timestamptz := holdfast.now();
  v_operation holdfast.bulk_operation;
  v_page bigint[];
  v_jobs bigint[];
  v_states holdfast.state[];
  v_done int;
  v_room int;
  v_cut boolean;
  v_last boolean;
begin
  select o.* into v_operation from holdfast.bulk_operation o where o.id = p_operation for update;
  applied := found and v_operation.state = 'running' and v_operation.page = p_page
    and v_operation.runner = p_runner;
  if not coalesce(applied, false) then
    applied := false;
    state := v_operation.state;
    return;
  end if;

  select array_agg(c.id order by c.n), array_agg(distinct c.name) into v_page, queues from (
    select j.id, p.n, q.name from unnest(p_jobs) with ordinality p (id, n)
      join holdfast.job j on j.id = any (array[p.id]) join holdfast.queue q on q.id = any (array[j.queue_id])
    where q.tenant = v_operation.tenant and j.created_at <= v_operation.until
      and not exists (select from holdfast.attempt a where a.job_id = any (array[j.id]) and a.final
        and a.finished_at > v_operation.until)
      and not exists (select from holdfast.bulk_result r where r.operation_id = p_operation
        and r.job_id = any (array[j.id]))
    order by p.n) c;
  v_page := coalesce(v_page, '{}');
  v_room := greatest(0, p_jobs_max - v_operation.matched);
  v_cut := cardinality(v_page) > v_room or p_cursor is not null and cardinality(v_page) = v_room;
  v_last := v_cut or p_cursor is null;
  v_page := v_page[:v_room];

  if v_operation.command in ('retry', 'resume') then
    perform holdfast.lock_lanes_of(v_page);
  end if;
  -- Most refusals are known from the state. The others cost a subtransaction each.
  with seen as materialized (
    select p.id, holdfast.state_of(p.id) as state from unnest(v_page) p (id)),
  refused as (
    insert into holdfast.bulk_result (operation_id, job_id, tenant, at, ok, state, code, detail)
    select p_operation, s.id, v_operation.tenant, v_now, false, s.state, 'wrong_state',
      case when s.state::text <> all (p_states)
        then format('Job %s is %s by now: the search finds it no longer.', s.id, s.state)
        else format('Job %s is %s: the command %s does not apply.', s.id, s.state, v_operation.command) end
    from seen s where not holdfast.bulk_may_apply(v_operation.command, s.state)
      or s.state::text <> all (p_states)
    returning job_id)
  select array_agg(s.id order by p.n), array_agg(s.state order by p.n) into v_jobs, v_states
    from unnest(v_page) with ordinality p (id, n) join seen s on s.id = p.id
    where s.id not in (select r.job_id from refused r);

  v_done := holdfast.command_all(v_operation, coalesce(v_jobs, '{}'),
    case when p_states is not null then v_states end);
  jobs := cardinality(v_page);
  update holdfast.bulk_operation o set page = o.page + 1, cursor = p_cursor, matched = o.matched + jobs,
      done = o.done + v_done, failed = o.failed + jobs - v_done, runner_until = v_now + p_lease,
      error = null, failures = 0,
      limit_reached = v_cut,
      state = case when v_last then 'done' else o.state end, ended_at = case when v_last then v_now end,
      runner = case when v_last then null else o.runner end
    where o.id = p_operation returning o.state into state;
  if v_last then
    insert into holdfast.event (at, tenant, type, actor, reason, data)
      select v_now, o.tenant, 'bulk_ended', o.created_by, o.reason, jsonb_build_object('operation', o.id,
        'command', o.command, 'done', o.done, 'failed', o.failed)
      from holdfast.bulk_operation o where o.id = p_operation;
  end if;
end $$;

-- Whether a command may apply to a job in this state; false: it is refused for certain. The rules are in the
-- verbs; a test compares this with src/domain/bulk.ts.
create or replace function holdfast.bulk_may_apply(p_command text, p_state holdfast.state) returns boolean
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(case p_command
    when 'retry' then p_state in ('failed', 'canceled', 'retrying', 'scheduled')
    when 'resume' then p_state in ('paused', 'errored', 'parked')
    when 'skip' then p_state in ('paused', 'errored', 'parked', 'waiting')
    when 'discard' then p_state in ('retrying', 'paused', 'errored', 'parked', 'queued')
    else p_state not in ('succeeded', 'failed', 'canceled') end, false)
$$;

-- Locks the lanes in which these jobs may be placed, in one sorted pass: place_in_lanes must not wait for a
-- lane while this transaction holds another.
create or replace function holdfast.lock_lanes_of(p_jobs bigint[]) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_queues int[];
  v_targets text[];
begin
  select array_agg(j.queue_id), array_agg(j.target) into v_queues, v_targets
    from unnest(p_jobs) p (id) join holdfast.job j on j.id = any (array[p.id])
      join holdfast.queue q on q.id = any (array[j.queue_id])
    where j.target is not null and q.serialize_targets;
  if v_queues is not null then
    perform holdfast.place_in_lanes(v_queues, v_targets,
      array_fill(null::holdfast.live, array[cardinality(v_queues)]));
  end if;
end $$;

-- Applies the command to these jobs and writes their results; returns how many it changed. p_states, where
-- given, has the state of each: a cancellation is refused once a job is in another.
--
-- A verb refuses by an exception, which only a subtransaction catches. One for each job would overflow the 64
-- that a snapshot holds and slow down every other session, so a whole slice shares one: a slice that fails is
-- halved, down to the job that refused; after a success the next is twice as long.
create or replace function holdfast.command_all(p_operation holdfast.bulk_operation, p_jobs bigint[],
  p_states holdfast.state[]) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_count int := cardinality(p_jobs);
  v_next int := 1;
  v_size int := greatest(1, cardinality(p_jobs));
  v_detail text;
  v_message text;
  v_done int := 0;
begin
  while v_next <= v_count loop
    begin
      insert into holdfast.bulk_result (operation_id, job_id, tenant, at, ok, state, new_job_id)
        select p_operation.id, p.id, p_operation.tenant, holdfast.now(), true, c.state, c.new_job_id
        from unnest(p_jobs[v_next:v_next + v_size - 1], p_states[v_next:v_next + v_size - 1]) p (id, state)
          cross join lateral holdfast.command_job(p_operation, p.id, p.state) c;
      v_done := v_done + least(v_size, v_count - v_next + 1);
      v_next := v_next + v_size;
      v_size := v_size * 2;
    exception when sqlstate 'HF000' then
      get stacked diagnostics v_detail = pg_exception_detail, v_message = message_text;
      if v_size = 1 then
        insert into holdfast.bulk_result (operation_id, job_id, tenant, at, ok, state, code, detail)
          values (p_operation.id, p_jobs[v_next], p_operation.tenant, holdfast.now(), false,
            holdfast.state_of(p_jobs[v_next]), coalesce(v_detail::jsonb ->> 'code', 'conflict'), v_message);
        v_next := v_next + 1;
      end if;
      v_size := greatest(1, v_size / 2);
    end;
  end loop;
  return v_done;
end $$;

-- Applies the command to one job, by the verb that a single command calls. p_if_state: of a cancellation.
create or replace function holdfast.command_job(p_operation holdfast.bulk_operation, p_job bigint,
  p_if_state holdfast.state, out state holdfast.state, out new_job_id bigint)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_actor text := p_operation.created_by;
  v_reason text := p_operation.reason;
  v_retried record;
begin
  case p_operation.command
    when 'retry' then
      select r.job_id, r.state into v_retried from holdfast.retry(p_job, v_actor, v_reason) r;
      state := v_retried.state;
      new_job_id := nullif(v_retried.job_id, p_job);
    when 'cancel' then
      new_job_id := holdfast.request_cancel(p_job, v_actor, v_reason);
      if new_job_id is null then
        -- `running` stands for assigned, too.
        select c.state into state from holdfast.cancel(p_job, v_actor, v_reason,
            case p_if_state when 'assigned' then 'running' else p_if_state end) c
          where c.result <> 'already_ended';
      end if;
      if state is null then
        state := holdfast.state_of(p_job);
        if state in ('succeeded', 'failed', 'canceled') then
          perform holdfast.refuse_state(p_job, 'be_canceled', state);
        end if;
      end if;
    when 'resume' then
      state := holdfast.resume(p_job, v_actor, v_reason);
    when 'skip' then
      state := holdfast.skip(p_job, v_actor, v_reason);
    when 'discard' then
      state := holdfast.discard(p_job, v_actor, v_reason);
    when 'boost' then
      perform holdfast.boost(p_job, p_operation.boost_by, v_actor, v_reason);
      state := holdfast.state_of(p_job);
    when 'priority' then
      perform holdfast.set_priority(p_job, p_operation.priority, v_actor, v_reason);
      state := holdfast.state_of(p_job);
  end case;
end $$;

-- In a strict queue only a worker ends a job: enqueues the job of kind holdfast.cancel that asks for it, and
-- returns its id. Null: the queue is not strict. A second request for the same job is deduplicated.
create or replace function holdfast.request_cancel(p_job bigint, p_actor text, p_reason text) returns bigint
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_queue record;
  -- In two parts: `holdfast.` stands for the schema, and the name of a kind does not change with it.
  v_kind text := 'holdfast' || '.cancel';
begin
  select q.tenant, q.name into v_queue from holdfast.job j
    join holdfast.queue q on q.id = any (array[j.queue_id]) where j.id = p_job and q.strict;
  if not found then
    return null;
  end if;
  return holdfast.enqueue(v_queue.name, v_kind,
    jsonb_strip_nulls(jsonb_build_object('jobId', p_job, 'reason', p_reason)),
    jsonb_strip_nulls(jsonb_build_object('key', v_kind || ':' || p_job, 'priority', 100,
      'created_by', p_actor)), v_queue.tenant);
end $$;
