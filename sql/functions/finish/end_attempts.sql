-- Ends attempts: the one way out of `running`, for success, failure, lost lease, cancellation and release.
--
-- p_jobs[i], p_attempts[i], p_leases[i] is the fence: only the very claim that is still in `running` can end
-- it. For each row taken out exactly one attempt row is written, and the job moves to exactly one place, as
-- next_state decides.
--
-- p_details[i] may carry result, reason (of a loss: why, if its lease did not expire; see close_lease), error
-- {class, message, fingerprint, stack}, log, retryable, delay_ms, cleaned, and started: false for a released
-- or lost job that had not started, so that there is nothing to pause, and its worker's end is not its fault.
-- The same holds for a row still marked `unstarted`, however it ends.
--
-- A fence that matches nothing but whose attempt row has the outcome of the caller is the same call again
-- (its reply was lost): same answer. An attempt row with another outcome (`lost`, above all) was written
-- without the caller: not accepted.
create or replace function holdfast.end_attempts(
  p_jobs bigint[], p_attempts int[], p_leases bigint[], p_outcomes holdfast.outcome[], p_started_ago_ms int[],
    p_details jsonb[]
) returns table (job_id bigint, attempt int, accepted boolean, state holdfast.state, due_at timestamptz)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_now timestamptz := holdfast.now();
  v_jobs bigint[];
  v_attempts int[];
  v_states holdfast.state[];
  v_due timestamptz[];
  v_lanes bigint[];
  v_heads bigint[];
begin
  if p_details is null and 'succeeded' = all (p_outcomes) and holdfast.is_rising(p_jobs) then
    select s.jobs, s.attempts, array_fill('succeeded'::holdfast.state,
      array[coalesce(cardinality(s.jobs), 0)]) into v_jobs, v_attempts, v_states
      from holdfast.succeed(p_jobs, p_attempts, p_leases, p_started_ago_ms) s;
  else
  with deleted as (
    delete from holdfast.running r
    using unnest(p_jobs, p_attempts, p_leases, p_outcomes, p_started_ago_ms, p_details)
      i (job_id, attempt, lease, outcome, started_ago_ms, detail)
    where r.job_id = any (array[i.job_id]) and r.attempt = i.attempt and r.lease = i.lease
    returning r.*, i.outcome, i.detail, i.started_ago_ms),
  judged as materialized (
    select g.*, n.next, e.outcome as judged_as, q.tenant, q.external_trigger,
      case n.next
        when 'retrying' then v_now + interval '1 ms' * holdfast.backoff_ms(g.failures,
          coalesce(q.retry_base_ms, holdfast.setting_number('BACKOFF_BASE_SEC')::bigint * 1000),
            q.retry_factor,
          coalesce(q.retry_cap_ms, holdfast.setting_number('BACKOFF_MAX_SEC')::bigint * 1000),
          q.jitter_low, q.jitter_high, random())
        when 'scheduled' then v_now + interval '1 ms' * coalesce((g.detail ->> 'delay_ms')::bigint, 0)
      end as due_at,
      case
        when n.next = 'paused' then case e.outcome when 'canceled' then 'Job was interrupted by user'
          else coalesce(g.detail ->> 'reason', 'shutdown') end
        -- The reason of another outcome ("shutdown", say) does not explain a cancel that won over it.
        when e.outcome = 'canceled' then coalesce(g.cancel_reason, case g.outcome
          when 'canceled' then g.detail ->> 'reason' end, 'canceled')
        when e.outcome = 'parked' then coalesce(g.detail ->> 'reason', 'no worker knows this kind of job')
        when e.outcome = 'lost' then case
          when n.next not in ('failed', 'errored') or q.on_lease_lost = 'error'
            then coalesce(g.detail ->> 'reason', 'lease expired')
          when q.on_lease_lost = 'count' and g.failures >= m.max_retries then 'exhausted'
          else 'crashed' end
        when e.outcome = 'failed' and n.next in ('failed', 'errored') then coalesce(g.detail ->> 'reason',
          case when (g.detail -> 'retryable')::boolean is false then 'not_retryable' else 'exhausted' end)
        else g.detail ->> 'reason'
      end as reason,
      -- why a loss has ended the job, or how much it leaves; for the other outcomes the worker says it
      case when e.outcome <> 'lost' or not e.started then null
        when q.on_lease_lost = 'count' and (n.next = 'queued' or g.failures >= m.max_retries) then
          format('The lease %s on attempt %s of %s.', case when g.detail ->> 'reason' is null then 'expired'
            when g.detail ->> 'reason' = 'lease given up' then 'was given up' else 'was closed' end,
            g.failures + 1, m.max_retries + 1)
        when q.on_lease_lost <> 'error' and n.next in ('failed', 'errored') then
          format('The lease %s %s times in a row, which is the crash budget of the queue.',
            case when g.detail ->> 'reason' is null then 'expired' else 'was lost' end, g.losses + 1)
        end as loss_message,
      (g.failures + case when e.outcome = 'failed' or e.outcome = 'lost' and e.started
        and q.on_lease_lost = 'count' then 1 else 0 end)::smallint as failures_now,
      case when e.outcome <> 'lost' then 0 when not e.started then g.losses
        else g.losses + 1 end::smallint as losses_now,
      g.interruptions + case when e.outcome in ('snoozed', 'released', 'parked') then 1
        else 0 end as interruptions_now,
      holdfast.level_of(q.order_by, g.priority) as level,
      n.next in ('succeeded', 'failed', 'canceled') as final
    from deleted g
    join holdfast.queue q on q.id = any (array[g.queue_id])
    cross join lateral (
      select case when g.cancel_requested and g.outcome <> 'succeeded' then 'canceled'
        else g.outcome end as outcome,
        coalesce((g.detail -> 'started')::boolean, not g.unstarted or g.started_at is not null) as started) e
    -- looked up only for a failure, or a loss that counts as one
    cross join lateral (
      select case when e.outcome = 'failed' or e.outcome = 'lost' and q.on_lease_lost = 'count' then coalesce(
        (select j.max_retries from holdfast.job j where j.id = g.job_id), q.max_retries,
        holdfast.setting_number('MAX_ATTEMPTS_DEFAULT')::int - 1) end as max_retries) m
    cross join lateral (
      select holdfast.next_state(g.outcome, g.cancel_requested, e.started, g.losses, g.failures,
        case when coalesce((g.detail -> 'retryable')::boolean, true) then m.max_retries else 0 end,
        q) as next) n),
  attempt_row as (
    insert into holdfast.attempt (job_id, lease, claimed_at, started_at, finished_at, attempt, queue_id,
      worker_id, outcome, moved_to, priority, failures, final, result, reason, error_class, error_message,
      error_fingerprint, error_stack, log_excerpt, cleaned)
    select j.job_id, j.lease, j.claimed_at, coalesce(v_now - interval '1 ms' * j.started_ago_ms,
      j.started_at), v_now, j.attempt, j.queue_id, j.worker_id, j.judged_as, j.next, j.priority,
      j.failures_now, j.final, j.detail -> 'result', j.reason,
      coalesce(j.detail #>> '{error,class}', case when j.loss_message is not null then
        case when j.detail ->> 'reason' is null then 'LeaseExpired'
          when j.detail ->> 'reason' = 'lease given up' then 'LeaseGivenUp' else 'LeaseClosed' end end),
        coalesce(j.detail #>> '{error,message}', j.loss_message), j.detail #>> '{error,fingerprint}',
        j.detail #>> '{error,stack}',
      j.detail ->> 'log',
      case when j.detail ? 'cleaned' then array(select jsonb_array_elements_text(j.detail -> 'cleaned')) end
    from judged j),
  ready_row as (
    insert into holdfast.ready (job_id, lane, ord, queue_id, attempt, interruptions, priority, failures,
      losses, keyed, level, since)
    select j.job_id, j.lane, j.ord, j.queue_id, j.attempt, j.interruptions_now, j.priority, j.failures_now,
      j.losses_now, j.keyed, j.level, v_now
    from judged j where j.next = 'queued'),
  delayed_row as (
    insert into holdfast.delayed (job_id, lane, ord, queue_id, attempt, interruptions, priority, failures,
      losses, keyed, state, due_at)
    select j.job_id, j.lane, j.ord, j.queue_id, j.attempt, j.interruptions_now, j.priority, j.failures_now,
      j.losses_now, j.keyed,
      j.next::text::holdfast.delayed_state, j.due_at
    from judged j where j.next in ('retrying', 'scheduled')),
  held_row as (
    insert into holdfast.held (job_id, lane, ord, queue_id, attempt, interruptions, priority, failures,
      losses, keyed, state, since, reason, kind)
    select j.job_id, j.lane, j.ord, j.queue_id, j.attempt, j.interruptions_now, j.priority, j.failures_now,
      j.losses_now, j.keyed,
      j.next::text::holdfast.held_state, v_now,
      case when j.next = 'errored' then coalesce(j.detail #>> '{error,message}', j.reason) else j.reason end,
      case when j.next = 'parked' then (select k.kind from holdfast.job k where k.id = j.job_id) end
    from judged j where j.next in ('paused', 'errored', 'parked')),
  freed_key as (
    delete from holdfast.dedup d using (
      select g.queue_id, g.job_id, j.key from judged g join holdfast.job j on j.id = any (array[g.job_id])
        where g.keyed and g.final offset 0) k
    where d.queue_id = any (array[k.queue_id]) and d.key = k.key and d.job_id = k.job_id),
  closed_lease as (
    delete from holdfast.lease l using judged j where j.own_lease and l.id = any (array[j.lease])),
  outbox_row as (
    insert into holdfast.outbox (job_id, queue_id, created_at, trigger)
    select j.job_id, j.queue_id, v_now, j.external_trigger from judged j
    where j.next in ('queued', 'failed') and j.external_trigger is not null),
  event_row as (
    insert into holdfast.event (at, tenant, type, job_ids)
    select v_now, j.tenant, 'attempt_ended', array_agg(j.job_id) from judged j group by j.tenant)
  select array_agg(j.job_id), array_agg(j.attempt), array_agg(j.next), array_agg(j.due_at),
      array_agg(j.lane) filter (where j.final and j.lane is not null),
      array_agg(j.job_id) filter (where j.final and j.lane is not null)
    into v_jobs, v_attempts, v_states, v_due, v_lanes, v_heads
    from judged j;

  if v_lanes is not null then
    perform holdfast.settle_lanes(v_lanes, v_heads);
  end if;
  end if;

  return query select t.job_id, t.attempt, true, t.state, t.due_at
    from unnest(v_jobs, v_attempts, v_states, v_due) t (job_id, attempt, state, due_at);
  if coalesce(cardinality(v_jobs), 0) < cardinality(p_jobs) then
    return query select i.job_id, i.attempt, a.job_id is not null, a.moved_to,
        (select d.due_at from holdfast.delayed d where d.job_id = a.job_id and d.attempt = a.attempt)
      from unnest(p_jobs, p_attempts, p_leases, p_outcomes) i (job_id, attempt, lease, outcome)
      left join holdfast.attempt a on a.job_id = any (array[i.job_id]) and a.attempt = i.attempt
        and a.lease = i.lease
        and (a.outcome = i.outcome or a.outcome = 'canceled' and i.outcome <> 'succeeded')
      where not exists (
        select from unnest(v_jobs, v_attempts) d (job_id, attempt) where d.job_id = i.job_id
          and d.attempt = i.attempt);
  end if;
end $$;

-- The state a job moves to when its attempt ends: the decision of src/domain/states/transition.ts (a
-- model-based test keeps the two equal). A requested cancel wins over everything but success; failures are
-- compared with the retry cap, losses in a row with the crash budget, interruptions with nothing. Where the
-- queue counts losses (on_lease_lost = count), a loss is compared with both.
--
-- p_started is false for a job that was claimed and never started. Inlined into its callers.
create or replace function holdfast.next_state(
  p_outcome holdfast.outcome, p_cancel_requested boolean, p_started boolean, p_losses int, p_failures int,
    p_max_retries int,
  p_queue holdfast.queue
) returns holdfast.state
language sql immutable parallel safe
as $$
  select case
    when p_outcome = 'succeeded' then 'succeeded'::holdfast.state
    when p_cancel_requested and p_queue.on_cancel = 'pause' then 'paused'
    when p_cancel_requested or p_outcome = 'canceled' then 'canceled'
    when p_outcome = 'snoozed' then 'scheduled'
    when p_outcome = 'parked' then 'parked'
    when p_outcome = 'released' and p_started and p_queue.on_shutdown = 'pause' then 'paused'
    when p_outcome = 'released' or p_outcome = 'lost' and not p_started then 'queued'
    when p_outcome = 'lost' and p_queue.on_lease_lost = 'error' then 'errored'
    when p_outcome = 'lost' and p_losses + 1 < coalesce(p_queue.crash_budget, 32767)
      and (p_queue.on_lease_lost <> 'count' or p_failures < p_max_retries) then 'queued'
    when p_outcome = 'failed' and p_failures < p_max_retries then 'retrying'
    when p_queue.on_error = 'block' then 'errored'
    else 'failed' end
$$;

-- Whether a job whose lease was lost is surely not the reason for its worker's end. A job that has lost two
-- leases in a row is run alone: its worker calls `start` before it runs the handler, so a job that is not
-- marked as started did not run. Only if it was all that its worker held (p_others is false), and its worker
-- is not known to call `start` (see mark_unstarted), it is blamed: nothing else can be.
create or replace function holdfast.is_blameless(p_running holdfast.running, p_others boolean) returns boolean
language sql immutable parallel safe
as $$
  select p_running.losses >= 2 and not p_running.own_lease and p_running.started_at is null and p_others
$$;

-- How long a failed job waits for its retry: p_failures are the earlier ones, so the first retry waits the
-- base. Jitter comes after the cap. The exponent is clamped where any cap is long reached: power() would
-- overflow (e^600 is still a double). Inlined into its callers.
create or replace function holdfast.backoff_ms(
  p_failures int, p_base_ms bigint, p_factor double precision, p_cap_ms bigint,
  p_jitter_low double precision, p_jitter_high double precision, p_random double precision
) returns bigint
language sql immutable parallel safe
as $$
  select greatest(0, floor(
    least(p_cap_ms::double precision, p_base_ms * power(p_factor, least(greatest(p_failures, 0),
      600 / greatest(ln(p_factor), 0.0001))))
    * (1 + p_jitter_low + p_random * (p_jitter_high - p_jitter_low))))::bigint
$$;
