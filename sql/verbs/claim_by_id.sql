-- Claims one job by its id, for a worker that was told about it (an SQS message). No row: not yours. Claimable is a queued
-- job, one whose delay is over, and one whose holder's lease has run out; a live lease, a pause or an end is not, nor a queue or
-- tenant at its limit. Where a rate counts for each key, a job whose key has no token left is delayed until it has one.
create or replace function holdfast.claim_by_id(
  p_worker text, p_lease bigint, p_job bigint, p_lease_ms int default null, p_since xid8 default null
)
returns table (job_id bigint, attempt int, lease bigint, expires_at timestamptz, queue_id int, kind text, input jsonb, key text, target text,
  subject text, created_at timestamptz, timeout_ms int, token_limit bigint, target_count bigint, trace text, priority smallint,
  failures smallint, losses smallint, interruptions int, progress jsonb)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_worker int := holdfast.worker_id(p_worker);
  v_job holdfast.job;
  v_queue holdfast.queue;
  v_found record;
  v_room record;
  v_start record;
  v_at timestamptz;
begin
  select * into v_job from holdfast.job j where j.id = p_job;
  select * into v_queue from holdfast.queue q where q.id = v_job.queue_id and q.paused_at is null;
  if not found then
    return;
  end if;
  perform holdfast.bring_in_one(p_job);

  select x.level, x.since is null as fresh into v_found from holdfast.ready x
    where x.queue_id = v_queue.id and x.level = any (holdfast.levels()) and x.job_id = p_job for update;
  if not found then
    return;
  end if;
  if v_queue.limited then
    v_room := holdfast.room_in(v_queue.id, 1);
    if v_room.may = 0 then
      return;
    end if;
    if v_room.per_key then
      v_start := holdfast.hold_back(v_queue.id, array[v_found.level], array[p_job],
        array[coalesce(v_job.target, v_job.key, v_job.subject, '')], array[v_found.fresh], 1, v_room.at);
      if v_start.jobs is null then
        return;
      end if;
    end if;
    v_at := v_room.at;
    perform holdfast.spend(v_queue.id, 1, v_at);
  else
    v_at := holdfast.now();
  end if;
  if v_queue.renewed_by = 'beat' and p_lease is not null then
    perform holdfast.hold_lease(p_lease, p_since);
  end if;
  return query select s.job_id, s.attempt, s.lease, s.expires_at, s.queue_id, s.kind, s.input, s.key, s.target, s.subject, s.created_at,
      s.timeout_ms, s.token_limit, s.target_count, s.trace, s.priority, s.failures, s.losses, s.interruptions, s.progress
    from holdfast.start_these(v_worker, p_lease, p_lease_ms, v_queue.id, array[v_found.level], array[p_job], v_queue.limited, v_at) t
    cross join lateral holdfast.claimed_jobs(t.jobs, t.marks) s;
end $$;
