-- Claims one job by its id, for a worker that was told about it (an SQS message). No row: not yours. Claimable is a queued
-- job, one whose delay is over, and one whose holder's lease has run out; a live lease, a pause or an end is not.
create or replace function holdfast.claim_by_id(p_worker text, p_lease bigint, p_job bigint, p_lease_ms int default null)
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
  v_now timestamptz := holdfast.now();
  v_worker int := holdfast.worker_id(p_worker);
  v_job holdfast.job;
  v_queue holdfast.queue;
  v_live holdfast.live;
  v_lease bigint := p_lease;
  v_lease_ms int;
begin
  select * into v_job from holdfast.job j where j.id = p_job;
  select * into v_queue from holdfast.queue q where q.id = v_job.queue_id and q.paused_at is null;
  if not found then
    return;
  end if;
  perform holdfast.bring_in_one(p_job);

  delete from holdfast.ready x where x.queue_id = v_queue.id and x.level = any (holdfast.levels()) and x.job_id = p_job
    returning x.job_id, x.lane, x.ord, x.queue_id, x.attempt, x.interruptions, x.priority, x.failures, x.losses, x.keyed into v_live;
  if not found then
    return;
  end if;

  v_lease_ms := coalesce(p_lease_ms, v_queue.lease_ms, (holdfast.setting_number('LEASE_SEC_DEFAULT') * 1000)::int);
  if v_queue.renewed_by = 'beat' and p_lease is not null then
    perform holdfast.hold_lease(p_lease);
  else
    insert into holdfast.lease (id, worker_id, lease_ms, opened_at, heartbeat_at, expires_at, job_id, queue_id)
      values (nextval('holdfast.lease_id_seq'), v_worker, v_lease_ms, v_now, v_now, v_now + interval '1 ms' * v_lease_ms, p_job, v_queue.id)
      returning id into v_lease;
  end if;
  insert into holdfast.running (job_id, lane, ord, lease, claimed_at, queue_id, attempt, interruptions, worker_id, priority, failures, losses,
      keyed, own_lease)
    values (p_job, v_live.lane, v_live.ord, v_lease, v_now, v_queue.id, v_live.attempt + 1, v_live.interruptions, v_worker, v_live.priority,
      v_live.failures, v_live.losses, v_live.keyed, v_lease is distinct from p_lease);
  insert into holdfast.event (at, tenant, type, job_ids) values (v_now, v_queue.tenant, 'claimed', array[p_job]);

  return query select p_job, v_live.attempt + 1, v_lease, case when v_lease is distinct from p_lease then v_now + interval '1 ms' * v_lease_ms end,
    v_queue.id, v_job.kind, v_job.input, v_job.key, v_job.target, v_job.subject, v_job.created_at,
    coalesce(v_job.timeout_ms, v_queue.timeout_ms), v_job.token_limit, v_job.target_count, v_job.trace, v_live.priority, v_live.failures,
    v_live.losses, v_live.interruptions, case when v_live.attempt > 0 then holdfast.progress_of(p_job) end;
end $$;
