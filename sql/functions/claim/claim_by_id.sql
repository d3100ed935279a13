-- Claims one job by its id, for a worker that received it in a message (SQS). No row: it cannot be claimed
-- now. Claimable is a queued job, one whose delay is over, and one whose worker's lease has expired; not one
-- under a live lease, paused or ended, nor one whose queue or tenant is at its limit. Where a rate applies to
-- each key, a job whose key has no token left is delayed until it has one.
create or replace function holdfast.claim_by_id(
  p_worker text, p_lease bigint, p_job bigint, p_lease_ms int default null, p_since xid8 default null
)
returns table (job_id bigint, attempt int, lease bigint, expires_at timestamptz, queue_id int, kind text,
  input jsonb, key text, target text, subject text, created_at timestamptz, timeout_ms int,
  token_limit bigint, item_goal bigint, trace text, priority smallint, failures smallint, losses smallint,
  interruptions int, progress jsonb)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_worker int := holdfast.worker_id(p_worker);
  v_job holdfast.job;
  v_queue holdfast.queue;
  v_ready record;
  v_capacity record;
  v_startable record;
  v_at timestamptz;
begin
  select * into v_job from holdfast.job j where j.id = p_job;
  select * into v_queue from holdfast.queue q where q.id = v_job.queue_id and q.paused_at is null;
  if not found then
    return;
  end if;
  perform holdfast.promote_due_in(p_job);

  select x.level, x.since is null as fresh into v_ready from holdfast.ready x
    where x.queue_id = v_queue.id and x.level = any (holdfast.all_levels()) and x.job_id = p_job for update;
  if not found then
    return;
  end if;
  if v_queue.limited then
    v_capacity := holdfast.free_capacity(v_queue.id, 1);
    if v_capacity.may = 0 then
      return;
    end if;
    if v_capacity.per_key then
      v_startable := holdfast.throttle_by_key(v_queue.id, array[v_ready.level], array[p_job],
        array[coalesce(v_job.target, v_job.key, v_job.subject, '')], array[v_ready.fresh], 1, v_capacity.at);
      if v_startable.jobs is null then
        return;
      end if;
    end if;
    v_at := v_capacity.at;
    perform holdfast.consume_tokens(v_queue.id, 1, v_at);
  else
    v_at := holdfast.now();
  end if;
  if v_queue.renewed_by = 'heartbeat' and p_lease is not null then
    perform holdfast.hold_lease(p_lease, p_since);
  end if;
  return query select s.job_id, s.attempt, s.lease, s.expires_at, s.queue_id, s.kind, s.input, s.key,
    s.target, s.subject, s.created_at, s.timeout_ms, s.token_limit, s.item_goal, s.trace, s.priority,
    s.failures, s.losses, s.interruptions, s.progress
    from holdfast.run_selected(v_worker, p_lease, p_lease_ms, v_queue.id, array[v_ready.level], array[p_job],
      v_queue.limited, v_at) t
    cross join lateral holdfast.claimed_jobs(t.jobs, t.marks) s;
end $$;

-- promote_due_work for one job: its delay is over, its worker's lease has expired, or it has just arrived at
-- its target.
create or replace function holdfast.promote_due_in(p_job bigint) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_lost record;
begin
  -- Both rows or nothing: holding the lease while waiting for a worker's report, which locks the lease next,
  -- is a deadlock.
  select r.attempt, r.lease, holdfast.is_blameless(r, l.ended_at is not null or exists (
        select from holdfast.running o where o.lease = r.lease and o.job_id <> r.job_id)) as blameless
    into v_lost
    from holdfast.running r join holdfast.lease l on l.id = any (array[r.lease])
    where r.job_id = p_job
      and (l.ended_at is not null or l.expires_at <= v_now and holdfast.accepting_writes_since()
        + interval '1 ms' * l.lease_ms <= v_now)
    for update of r, l skip locked;
  if found then
    perform holdfast.end_attempts(array[p_job], array[v_lost.attempt], array[v_lost.lease],
      array['lost'::holdfast.outcome], null,
      case when v_lost.blameless then array[jsonb '{"started": false}'] end);
    -- A worker that has lost one job of its lease has lost the lease. A lease of the job's own is deleted
    -- already.
    update holdfast.lease l set ended_at = v_now where l.id = v_lost.lease and l.ended_at is null;
  end if;
  perform holdfast.promote_jobs(array(select d.job_id from holdfast.delayed d where d.job_id = p_job
    and d.due_at <= v_now));
  perform holdfast.place_in_lanes(array[h.queue_id], array[h.target], '{}')
    from holdfast.held h where h.job_id = p_job and h.state = 'waiting' and h.lane is null;
end $$;
