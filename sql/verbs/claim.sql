-- Hands out up to p_limit jobs of the given queues to a worker: highest priority first, oldest first among equals.
--
-- p_lease is the worker's open lease. Queues whose leases are renewed by reports or by nothing, and calls without a lease,
-- get a lease of their own for each job (p_lease_ms instead of the queue's, if given). Fairness, limits and hints: see take.
-- p_since: the caller's connection broke before this point (pg_snapshot_xmax of a later snapshot); see hold_lease.
create or replace function holdfast.claim(
  p_worker text, p_lease bigint, p_queues int[], p_limit int default 1, p_lease_ms int default null, p_hint_levels smallint[] default null,
  p_hint_jobs bigint[] default null, p_since xid8 default null
) returns table (job_id bigint, attempt int, lease bigint, expires_at timestamptz, queue_id int, kind text, input jsonb, key text, target text,
  subject text, created_at timestamptz, timeout_ms int, token_limit bigint, target_count bigint, trace text, priority smallint,
  failures smallint, losses smallint, interruptions int, progress jsonb, level smallint, fresh boolean)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_took record;
begin
  v_took := holdfast.take(p_worker, p_lease, p_queues, p_limit, p_lease_ms, p_hint_levels, p_hint_jobs, p_since);
  if v_took.jobs is not null then
    return query select * from holdfast.claimed_jobs(v_took.jobs, v_took.marks);
  end if;
end $$;
