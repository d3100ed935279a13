-- Claims up to p_limit jobs of the given queues for a worker: highest priority first, oldest first among
-- equals. Every job comes with all its columns, for SQL clients; the library uses claim_batch.
--
-- p_lease is the worker's open lease. Queues whose leases are renewed by reports or by nothing, and calls
-- without a lease, open a lease for each job (of p_lease_ms instead of the queue's, if given). Fairness,
-- limits and hints: see claim_rows. p_since: the caller's connection broke before this point
-- (pg_snapshot_xmax of a later snapshot); see hold_lease.
create or replace function holdfast.claim(
  p_worker text, p_lease bigint, p_queues int[], p_limit int default 1, p_lease_ms int default null,
    p_hint_levels smallint[] default null, p_hint_jobs bigint[] default null, p_since xid8 default null
) returns table (job_id bigint, attempt int, lease bigint, expires_at timestamptz, queue_id int, kind text,
  input jsonb, key text, target text, subject text, created_at timestamptz, timeout_ms int,
  token_limit bigint, item_goal bigint, trace text, priority smallint, failures smallint, losses smallint,
  interruptions int, progress jsonb, level smallint, fresh boolean)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_claimed record;
begin
  v_claimed := holdfast.claim_rows(p_worker, p_lease, p_queues, p_limit, p_lease_ms, p_hint_levels,
    p_hint_jobs, p_since);
  if v_claimed.jobs is not null then
    return query select * from holdfast.claimed_jobs(v_claimed.jobs, v_claimed.marks);
  end if;
end $$;

-- `claim` for a driver that claims many: six columns, and the rest as an object only where a job is not an
-- ordinary new one. It is a verb of its own because a driver takes 4 us to read a row of twenty columns and 3
-- for one of six, and the server 0.4 less; an SQL client, which has to know attempt and lease of each job to
-- finish it, is better served by `claim`.
--
-- Nearly always the jobs are new, ordinary, and rising in id: one scan of the index finds them all (0.4 us a
-- job, where looking them up one by one takes 2.8). The range lets Postgres skip the other partitions of the
-- history; a list does not.
--
-- p_start_now: so many of them begin at once, and the caller calls `start` before it begins any other that is
-- marked unstarted (see mark_unstarted); null: all of them have started when they are claimed.
create or replace function holdfast.claim_batch(
  p_worker text, p_lease bigint, p_queues int[], p_limit int, p_lease_ms int default null,
    p_hint_levels smallint[] default null, p_hint_jobs bigint[] default null, p_since xid8 default null,
    p_start_now int default null, p_eager boolean default false
) returns table (job_id bigint, queue_id int, kind text, input jsonb, created_at timestamptz, rest json)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_claimed record;
  v_jobs bigint[];
  v_marks int[];
  v_unstarted bigint[];
begin
  v_claimed := holdfast.claim_rows(p_worker, p_lease, p_queues, p_limit, p_lease_ms, p_hint_levels,
    p_hint_jobs, p_since);
  v_jobs := v_claimed.jobs;
  if v_jobs is null then
    return;
  end if;
  v_marks := v_claimed.marks;
  if p_start_now is not null then
    select m.marks, m.unstarted into v_marks, v_unstarted
    from holdfast.mark_unstarted(v_jobs, v_marks, p_queues, p_start_now, p_eager) m;
  end if;
  if array_remove(v_marks, null) = '{}' and (cardinality(v_jobs) = 1 or holdfast.is_rising(v_jobs)) then
    return query select j.id, j.queue_id, j.kind, j.input, j.created_at,
        case when j.key is not null or j.target is not null or j.subject is not null
          or j.timeout_ms is not null or j.token_limit is not null
          or j.item_goal is not null or j.trace is not null
        then json_build_object('key', j.key, 'target', j.target, 'subject', j.subject, 'timeoutMs',
          j.timeout_ms, 'tokenLimit', j.token_limit,
          'itemGoal', j.item_goal, 'trace', j.trace) end
      from holdfast.job j where j.id = any (v_jobs) and j.id between v_jobs[1]
        and v_jobs[cardinality(v_jobs)];
  else
    return query select c.job_id, c.queue_id, c.kind, c.input, c.created_at,
        json_build_object('attempt', c.attempt, 'lease', c.lease, 'expiresAt', c.expires_at, 'key', c.key,
          'target', c.target,
          'subject', c.subject, 'timeoutMs', c.timeout_ms, 'tokenLimit', c.token_limit, 'itemGoal',
            c.item_goal, 'trace', c.trace,
          'priority', c.priority, 'failures', c.failures, 'losses', c.losses, 'interruptions',
            c.interruptions, 'progress', c.progress,
          'level', c.level, 'fresh', c.fresh, 'unstarted', coalesce(c.job_id = any (v_unstarted), false))
      from holdfast.claimed_jobs(v_jobs, v_marks) c;
  end if;
end $$;

-- Marks those jobs of a claim that do not start with it, for a worker that calls `start` before it runs one
-- of them. The first p_start_now of the list start at once. A job that comes back unstarted, for whatever
-- reason, is neither charged nor paused nor blamed.
--
-- Marked are: every job of a queue that records starts as they happen, every job of a queue where an
-- interruption has consequences at once (a pause, an error), and every job that has lost two leases in a row,
-- because one of them may be a poison job. Of the rest only if the worker is not p_eager: one that runs a job
-- in a few milliseconds would pay an update and a round trip for each job that starts in a moment anyway.
create or replace function holdfast.mark_unstarted(p_jobs bigint[], p_marks int[], p_queues int[],
  p_start_now int, p_eager boolean,
  out marks int[], out unstarted bigint[])
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  marks := p_marks;
  if array_remove(p_marks, null) = '{}' and (cardinality(p_jobs) <= p_start_now or p_eager and not exists (
    select from holdfast.queue q where q.id = any (p_queues) and (q.on_lease_lost = 'error'
      or q.on_shutdown = 'pause'))) then
    return;
  end if;
  with marked as (
    update holdfast.running r set unstarted = true
    from unnest(p_jobs) with ordinality j (id, n), holdfast.queue q
    where r.job_id = any (array[j.id]) and q.id = any (array[r.queue_id])
      and (r.losses >= 2 or q.record_starts or j.n > p_start_now and (not p_eager or q.on_lease_lost = 'error'
        or q.on_shutdown = 'pause'))
    returning r.job_id)
  select array_agg(w.job_id) into unstarted from marked w;
  if unstarted is not null then
    -- A mark for each, so that all its columns are returned: level 100, and new there.
    select array_agg(case when t.id = any (unstarted) then coalesce(t.mark, 402) else t.mark end order by t.n)
      into marks
      from unnest(p_jobs, p_marks) with ordinality t (id, mark, n);
  end if;
end $$;
