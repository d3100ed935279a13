-- The one door out of `running`: a result, a failure, a lost lease, a cancellation, a release all pass here.
--
-- p_jobs[i], p_attempts[i], p_leases[i] is the fence: only the very claim that is still in `running` can end it. For each
-- row taken out exactly one attempt row is written and the job goes to exactly one place, `next`, which is the decision of
-- src/domain/transition.ts (a model-based test holds the two together):
--   a cancel that was asked for wins over everything but success; failures are compared with the retry cap, losses in a
--   row with the crash budget, interruptions with nothing.
-- p_details[i] may carry result, reason, error {class, message, fingerprint, stack}, log, retryable, delay_ms, cleaned, and began: false
-- when a released or lost job was never begun, so that there is nothing to pause, and the end of its worker is not its doing. The same holds
-- for a row that still waits to be begun (`unbegun`), whoever ends it.
-- A fence that matches nothing but whose attempt row says what the caller says is the same call again (its reply was lost):
-- same answer. A row that says otherwise (`lost`, above all) was written over the caller's head: not accepted.
create or replace function holdfast.end_attempts(
  p_jobs bigint[], p_attempts int[], p_leases bigint[], p_outcomes holdfast.outcome[], p_started_ago_ms int[], p_details jsonb[]
) returns table (job_id bigint, attempt int, accepted boolean, state holdfast.state, due_at timestamptz)
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
set plan_cache_mode = force_generic_plan
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
    select s.jobs, s.attempts, array_fill('succeeded'::holdfast.state, array[coalesce(cardinality(s.jobs), 0)]) into v_jobs, v_attempts, v_states
      from holdfast.succeed(p_jobs, p_attempts, p_leases, p_started_ago_ms) s;
  else
  with gone as (
    delete from holdfast.running r
    using unnest(p_jobs, p_attempts, p_leases, p_outcomes, p_started_ago_ms, p_details)
      i (job_id, attempt, lease, outcome, started_ago_ms, detail)
    where r.job_id = any (array[i.job_id]) and r.attempt = i.attempt and r.lease = i.lease
    returning r.*, i.outcome, i.detail, i.started_ago_ms),
  judged as materialized (
    select g.*, n.next, e.outcome as judged_as, q.tenant, q.external_trigger,
      case n.next
        when 'retrying' then v_now + interval '1 ms' * holdfast.backoff_ms(g.failures,
          coalesce(q.retry_base_ms, holdfast.setting_number('BACKOFF_BASE_SEC')::bigint * 1000), q.retry_factor,
          coalesce(q.retry_cap_ms, holdfast.setting_number('BACKOFF_MAX_SEC')::bigint * 1000),
          q.jitter_low, q.jitter_high, random())
        when 'scheduled' then v_now + interval '1 ms' * coalesce((g.detail ->> 'delay_ms')::bigint, 0)
      end as due_at,
      case
        when n.next = 'paused' then case e.outcome when 'canceled' then 'Job was interrupted by user'
          else coalesce(g.detail ->> 'reason', 'shutdown') end
        -- What a worker says of another outcome ("shutdown", say) does not explain a cancel that won over it.
        when e.outcome = 'canceled' then coalesce(g.cancel_reason, case g.outcome when 'canceled' then g.detail ->> 'reason' end, 'canceled')
        when e.outcome = 'parked' then coalesce(g.detail ->> 'reason', 'no worker knows this kind of job')
        when e.outcome = 'lost' then case
          when n.next in ('failed', 'errored') and q.on_lease_lost = 'retry' then 'crashed' else 'lease expired' end
        when e.outcome = 'failed' and n.next in ('failed', 'errored') then coalesce(g.detail ->> 'reason',
          case when (g.detail -> 'retryable')::boolean is false then 'not_retryable' else 'exhausted' end)
        else g.detail ->> 'reason'
      end as reason,
      (g.failures + case e.outcome when 'failed' then 1 else 0 end)::smallint as failures_now,
      case when e.outcome <> 'lost' then 0 when not e.began then g.losses else g.losses + 1 end::smallint as losses_now,
      g.interruptions + case when e.outcome in ('snoozed', 'released', 'parked') then 1 else 0 end as interruptions_now,
      case q.order_by when 'fifo' then 0 else 100 - g.priority end::smallint as level,
      n.next in ('succeeded', 'failed', 'canceled') as final
    from gone g
    join holdfast.queue q on q.id = any (array[g.queue_id])
    cross join lateral (
      select case when g.cancel_requested and g.outcome <> 'succeeded' then 'canceled' else g.outcome end as outcome,
        coalesce((g.detail -> 'began')::boolean, not g.unbegun or g.started_at is not null) as began) e
    cross join lateral (
      select case e.outcome
        when 'succeeded' then 'succeeded'
        when 'canceled' then case when g.cancel_requested and q.on_cancel = 'pause' then 'paused' else 'canceled' end
        when 'snoozed' then 'scheduled'
        when 'released' then case when q.on_shutdown = 'pause' and e.began then 'paused' else 'queued' end
        when 'parked' then 'parked'
        when 'lost' then case
          when not e.began then 'queued'
          when q.on_lease_lost = 'error' then 'errored'
          when g.losses + 1 < coalesce(q.crash_budget, 32767) then 'queued'
          when q.on_error = 'block' then 'errored'
          else 'failed' end
        when 'failed' then case
          when coalesce((g.detail -> 'retryable')::boolean, true) and g.failures < coalesce(
            (select j.max_retries from holdfast.job j where j.id = g.job_id), q.max_retries,
            holdfast.setting_number('MAX_ATTEMPTS_DEFAULT')::int - 1) then 'retrying'
          when q.on_error = 'block' then 'errored'
          else 'failed' end
      end::holdfast.state as next) n),
  logged as (
    insert into holdfast.attempt (job_id, lease, claimed_at, started_at, finished_at, attempt, queue_id, worker_id, outcome,
      moved_to, priority, failures, final, result, reason, error_class, error_message, error_fingerprint, error_stack, log_excerpt, cleaned)
    select j.job_id, j.lease, j.claimed_at, coalesce(v_now - interval '1 ms' * j.started_ago_ms, j.started_at), v_now,
      j.attempt, j.queue_id, j.worker_id, j.judged_as, j.next, j.priority, j.failures_now, j.final, j.detail -> 'result', j.reason,
      j.detail #>> '{error,class}', j.detail #>> '{error,message}', j.detail #>> '{error,fingerprint}', j.detail #>> '{error,stack}',
      j.detail ->> 'log',
      case when j.detail ? 'cleaned' then array(select jsonb_array_elements_text(j.detail -> 'cleaned')) end
    from judged j),
  to_ready as (
    insert into holdfast.ready (job_id, lane, ord, queue_id, attempt, interruptions, priority, failures, losses, keyed, level, since)
    select j.job_id, j.lane, j.ord, j.queue_id, j.attempt, j.interruptions_now, j.priority, j.failures_now, j.losses_now, j.keyed, j.level, v_now
    from judged j where j.next = 'queued'),
  to_delayed as (
    insert into holdfast.delayed (job_id, lane, ord, queue_id, attempt, interruptions, priority, failures, losses, keyed, state, due_at)
    select j.job_id, j.lane, j.ord, j.queue_id, j.attempt, j.interruptions_now, j.priority, j.failures_now, j.losses_now, j.keyed,
      j.next::text::holdfast.delayed_state, j.due_at
    from judged j where j.next in ('retrying', 'scheduled')),
  to_held as (
    insert into holdfast.held (job_id, lane, ord, queue_id, attempt, interruptions, priority, failures, losses, keyed, state, since, reason, kind)
    select j.job_id, j.lane, j.ord, j.queue_id, j.attempt, j.interruptions_now, j.priority, j.failures_now, j.losses_now, j.keyed,
      j.next::text::holdfast.held_state, v_now,
      case when j.next = 'errored' then coalesce(j.detail #>> '{error,message}', j.reason) else j.reason end,
      case when j.next = 'parked' then (select k.kind from holdfast.job k where k.id = j.job_id) end
    from judged j where j.next in ('paused', 'errored', 'parked')),
  keys as (
    delete from holdfast.dedup d using (
      select g.queue_id, g.job_id, j.key from judged g join holdfast.job j on j.id = any (array[g.job_id]) where g.keyed and g.final offset 0) k
    where d.queue_id = any (array[k.queue_id]) and d.key = k.key and d.job_id = k.job_id),
  leases as (
    delete from holdfast.lease l using judged j where j.own_lease and l.id = any (array[j.lease])),
  called as (
    insert into holdfast.outbox (job_id, queue_id, created_at, trigger)
    select j.job_id, j.queue_id, v_now, j.external_trigger from judged j
    where j.next in ('queued', 'failed') and j.external_trigger is not null),
  told as (
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
      left join holdfast.attempt a on a.job_id = any (array[i.job_id]) and a.attempt = i.attempt and a.lease = i.lease
        and (a.outcome = i.outcome or a.outcome = 'canceled' and i.outcome <> 'succeeded')
      where not exists (
        select from unnest(v_jobs, v_attempts) d (job_id, attempt) where d.job_id = i.job_id and d.attempt = i.attempt);
  end if;
end $$;
