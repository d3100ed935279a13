-- Moves up to p_limit jobs to `running` for a worker and returns their ids with their marks (see
-- claimed_jobs).
--
-- When there are too few to claim, it first promotes what has fallen due: delayed jobs, expired leases,
-- arrivals at targets. So a job is claimable when its time has come, whether or not any upkeep runs. Where a
-- limit is the reason for too few, there is no point in promoting more; only if nothing was claimed may the
-- jobs of a dead worker be what fills the limit.
--
-- Fairness between queues: in the first round a queue gets at most its share (an eighth of p_limit, or an
-- equal part where fewer queues are listed), in the order listed; the second round gives the rest to queues
-- that have more. A caller that rotates the list starves no queue. Queues with limits are claimed one by one,
-- each locked until this transaction ends; one that is locked already is skipped. The others are claimed
-- together, at no extra cost. Of the queues with the order global_fifo, those without a limit are one queue
-- here: they have one share and one place in the list, and are claimed by claim_oldest.
--
-- Hints: the caller drained level p_hint_levels[i] of queue i up to job p_hint_jobs[i] a moment ago, so the
-- claim need not walk over index entries of deleted rows that cannot be vacuumed yet (a long transaction
-- somewhere holds them). A hint must lag, because a transaction that commits late brings a lower id, and must
-- be left out now and then, to find what came later still.
--
-- After taking rows the claim holds the worker's lease by a key share lock until commit: a sweep of that
-- lease either waits for us, or was first, and then we take nothing. Without it, a claim that commits after
-- its lease was swept would leave running rows that no sweep ever finds. A claim that took nothing locks
-- nothing and writes nothing. Its commit waits for the disk like any other: a claim undone by a crash would
-- be handed out again with the same attempt, and the claim may have ended a job whose end others have read.
create or replace function holdfast.claim_rows(
  p_worker text, p_lease bigint, p_queues int[], p_limit int, p_lease_ms int, p_hint_levels smallint[],
    p_hint_jobs bigint[], p_since xid8,
  out jobs bigint[], out marks int[]
)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_worker int := holdfast.worker_id(p_worker);
  v_queues int := cardinality(p_queues);
  -- queues with the order global_fifo count as one
  v_parts int := v_queues;
  v_share int;
  v_left int := p_limit;
  v_before int;
  v_queue_max int;
  v_from int;
  v_claimed record;
  v_limited record;
  v_capacity record;
  v_positions int[];
  -- those of the listed queues that may have work, if many are listed
  v_listed int[] := p_queues;
  v_levels smallint[] := p_hint_levels;
  v_jobs bigint[] := p_hint_jobs;
  v_wanted int;
  v_global record;
  -- stands in the list for the queues that are claimed by claim_oldest
  v_stand_in int;
  -- queues of this round that have more jobs than their limit allows
  v_capped int;
begin
  for pass in 1..2 loop
    if v_queues > 64 then
      v_positions := coalesce(holdfast.queues_with_ready(p_queues, p_hint_jobs),
        array(select generate_series(1, v_queues)));
      select array_agg(p_queues[n] order by n), array_agg(p_hint_levels[n] order by n),
        array_agg(p_hint_jobs[n] order by n)
        into v_listed, v_levels, v_jobs from unnest(v_positions) n;
    elsif pass = 2 then
      v_listed := p_queues;
      v_levels := p_hint_levels;
      v_jobs := p_hint_jobs;
    end if;
    if v_queues > 1 and exists (select from holdfast.queue q where q.id = any (v_listed)
      and q.order_by = 'global_fifo') then
      v_global := holdfast.global_queues(v_listed, v_levels, v_jobs);
      v_stand_in := v_global.queues[cardinality(v_global.queues)];
      v_parts := v_queues - coalesce(cardinality(v_global.queues) - 1, 0);
      v_listed := v_global.listed;
      v_levels := v_global.listed_levels;
      v_jobs := v_global.listed_jobs;
    end if;
    v_share := case when v_parts <= 1 then p_limit else ceil(p_limit / least(v_parts, 8)::numeric) end;
    for round in 1..2 loop
      v_before := v_left;
      v_capped := 0;
      v_queue_max := case round when 1 then v_share else v_left end;
      v_from := 1;
      for v_limited in
        select t.id, t.n from (
          select q.id, n.n from holdfast.queue q
            cross join lateral (select array_position(v_listed, q.id) as n) n
          where q.id = any (v_listed) and q.limited and q.paused_at is null and holdfast.has_ready(q.id,
            v_levels[n.n], v_jobs[n.n])
          union all
          select v_stand_in, array_position(v_listed, v_stand_in)
          where v_stand_in is not null) t
        order by t.n
      loop
        if v_from < v_limited.n then
          v_claimed := holdfast.claim_from(v_worker, p_lease, p_lease_ms, v_listed[v_from:v_limited.n - 1],
            v_levels[v_from:v_limited.n - 1], v_jobs[v_from:v_limited.n - 1], v_left, v_queue_max, false,
              holdfast.now());
          jobs := jobs || v_claimed.jobs;
          marks := marks || v_claimed.marks;
          v_left := p_limit - coalesce(cardinality(jobs), 0);
        end if;
        v_from := v_limited.n + 1;
        exit when v_left <= 0;
        v_wanted := least(v_queue_max, v_left);
        if v_limited.id = v_stand_in then
          v_claimed := holdfast.claim_oldest(v_worker, p_lease, p_lease_ms, v_global.queues, v_global.levels,
            v_global.jobs, v_wanted, holdfast.now());
          jobs := jobs || v_claimed.jobs;
          marks := marks || v_claimed.marks;
          v_left := p_limit - coalesce(cardinality(jobs), 0);
          continue;
        end if;
        v_capacity := holdfast.free_capacity(v_limited.id, v_wanted);
        if v_capacity.may = 0 then
          v_capped := v_capped + v_capacity.busy::int;
          continue;
        end if;
        if v_capacity.per_key then
          v_claimed := holdfast.claim_per_key(v_worker, p_lease, p_lease_ms, v_limited.id, v_capacity.may,
            v_capacity.at);
        else
          v_claimed := holdfast.claim_from(v_worker, p_lease, p_lease_ms, array[v_limited.id],
            v_levels[v_limited.n:v_limited.n], v_jobs[v_limited.n:v_limited.n], v_capacity.may,
              v_capacity.may, true, v_capacity.at);
        end if;
        jobs := jobs || v_claimed.jobs;
        marks := marks || v_claimed.marks;
        v_left := p_limit - coalesce(cardinality(jobs), 0);
        v_capped := v_capped + (cardinality(v_claimed.jobs) is not distinct from v_capacity.may
          and v_capacity.may < v_wanted)::int;
        if v_capacity.metered then
          perform holdfast.consume_tokens(v_limited.id, coalesce(cardinality(v_claimed.jobs), 0),
            v_capacity.at);
        end if;
      end loop;
      if v_left > 0 and v_from <= cardinality(v_listed) then
        v_claimed := holdfast.claim_from(v_worker, p_lease, p_lease_ms, v_listed[v_from:], v_levels[v_from:],
          v_jobs[v_from:], v_left, v_queue_max, false, holdfast.now());
        jobs := jobs || v_claimed.jobs;
        marks := marks || v_claimed.marks;
        v_left := p_limit - coalesce(cardinality(jobs), 0);
      end if;
      -- a queue filled its share: it may have more
      exit when v_left <= 0 or v_parts <= 1 or v_before - v_left < v_share;
    end loop;
    exit when v_left <= 0 or pass = 2 or v_capped = v_queues
      or not holdfast.promote_due_work(least(1000, greatest(100, v_left)));
  end loop;
  if v_left < p_limit and p_lease is not null then
    perform holdfast.hold_lease(p_lease, p_since);
  end if;
end $$;

-- One round of a claim: up to p_limit jobs of the given queues, at most p_per_queue of each, in the order
-- listed.
--
-- The candidates are a materialized CTE: `where id in (select ... limit n for update skip locked)` may be
-- planned so that it claims more than n. Only rows that the DELETE returns are claimed: a row that was
-- boosted after our snapshot is locked in its new version, which the DELETE cannot see; handed out all the
-- same it would be ready and running at once, so it is left for the next claim. Each queue is read in up to
-- three ranges: without a hint everything in order; with one, first the levels above the hinted one, then
-- what came back at that level behind the hint (by its own small index), then the rest after it.
--
-- Returns only the ids, in order, and a mark for each job that is not an ordinary new one (see claimed_jobs):
-- the jobs themselves are read once, as one list, when the whole claim is complete.
create or replace function holdfast.claim_from(
  p_worker_id int, p_lease bigint, p_lease_ms int, p_queues int[], p_hint_levels smallint[],
    p_hint_jobs bigint[], p_limit int, p_per_queue int, p_limited boolean, p_now timestamptz,
    out jobs bigint[], out marks int[]
)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  with candidate as materialized (
    select t.tid, q.tenant, s.shared and q.timeout_ms is null and not q.record_starts as usual,
      q.timeout_ms is not null as timed,
      case when not s.shared then coalesce(p_lease_ms, q.lease_ms,
        (holdfast.setting_number('LEASE_SEC_DEFAULT') * 1000)::int) end as own_ms
    from unnest(p_queues, p_hint_levels, p_hint_jobs) u (id, level, job_id)
    join holdfast.queue q on q.id = any (array[u.id]) and q.paused_at is null and q.limited = p_limited
    cross join lateral (select q.renewed_by = 'heartbeat' and p_lease is not null as shared) s
    cross join lateral (
      select l.* from (
        select a.* from (
          select x.ctid as tid from holdfast.ready x where u.job_id is null and x.queue_id = q.id
          order by x.level, x.job_id limit p_per_queue for update skip locked) a
        union all
        select b.* from (
          select x.ctid as tid from holdfast.ready x where u.job_id is not null and x.queue_id = q.id
            and x.level < u.level
          order by x.level, x.job_id limit p_per_queue for update skip locked) b
        union all
        select c.* from (
          select x.ctid as tid from holdfast.ready x
          where u.job_id is not null and x.queue_id = q.id and x.level = u.level and x.job_id <= u.job_id
            and x.since is not null
          order by x.job_id limit p_per_queue for update skip locked) c
        union all
        select d.* from (
          select x.ctid as tid from holdfast.ready x
          where u.job_id is not null and x.queue_id = q.id and (x.level, x.job_id) > (u.level, u.job_id)
          order by x.level, x.job_id limit p_per_queue for update skip locked) d) l
      limit p_per_queue) t
    limit p_limit),
  deleted as (
    delete from holdfast.ready x using candidate t where x.ctid = t.tid
    returning x.job_id, x.lane, x.ord, x.queue_id, x.attempt, x.interruptions, x.priority, x.failures,
      x.losses, x.keyed, t.tenant, t.own_ms,
      case when t.own_ms is not null then holdfast.new_lease_id() end as own_lease,
      case when not t.usual or x.attempt > 0 or x.priority <> 0 or x.level <> 100 or x.since is not null
        then x.level * 4 + (x.since is null)::int * 2 + t.timed::int end as mark),
  running_row as (
    insert into holdfast.running (job_id, lane, ord, lease, claimed_at, queue_id, attempt, interruptions,
      worker_id, priority, failures, losses, keyed, own_lease, limited)
    select t.job_id, t.lane, t.ord, coalesce(t.own_lease, p_lease), p_now, t.queue_id, t.attempt + 1,
      t.interruptions, p_worker_id, t.priority, t.failures, t.losses, t.keyed, t.own_ms is not null, p_limited
    from deleted t),
  lease_row as (
    insert into holdfast.lease (id, worker_id, lease_ms, opened_at, heartbeat_at, expires_at, job_id,
      queue_id)
    select t.own_lease, p_worker_id, t.own_ms, p_now, p_now, p_now + interval '1 ms' * t.own_ms, t.job_id,
      t.queue_id
    from deleted t where t.own_ms is not null),
  event_row as (
    insert into holdfast.event (at, tenant, type, job_ids)
    select p_now, t.tenant, 'claimed', array_agg(t.job_id) from deleted t group by t.tenant)
  select array_agg(t.job_id), array_agg(t.mark) into jobs, marks from deleted t;
end $$;

-- Claims up to p_limit jobs of a queue whose rate applies to each key. Jobs of keys without a token are
-- delayed, and the search continues behind them, over some 5,000 jobs in one claim: a flood of one key holds
-- up the other keys for one claim in 5,000 of its jobs.
create or replace function holdfast.claim_per_key(p_worker_id int, p_lease bigint, p_lease_ms int,
  p_queue int, p_limit int, p_now timestamptz,
  out jobs bigint[], out marks int[])
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_left int := p_limit;
  v_page int := p_limit + 20;
  v_seen int := 0;
  v_candidates record;
  v_startable record;
  v_claimed record;
begin
  loop
    select array_agg(c.level order by c.level, c.job_id) as levels, array_agg(c.job_id order by c.level,
      c.job_id) as jobs,
        array_agg(coalesce(j.target, j.key, j.subject, '') order by c.level, c.job_id) as keys,
        array_agg(c.since is null order by c.level, c.job_id) as fresh, count(*)::int as n
      into v_candidates
      from (select x.level, x.job_id, x.since from holdfast.ready x where x.queue_id = p_queue
            order by x.level, x.job_id limit v_page for update skip locked) c
      join holdfast.job j on j.id = any (array[c.job_id]);
    exit when v_candidates.n = 0;
    v_startable := holdfast.throttle_by_key(p_queue, v_candidates.levels, v_candidates.jobs,
      v_candidates.keys, v_candidates.fresh, v_left, p_now);
    v_claimed := holdfast.run_selected(p_worker_id, p_lease, p_lease_ms, p_queue, v_startable.levels,
      v_startable.jobs, true, p_now);
    jobs := jobs || v_claimed.jobs;
    marks := marks || v_claimed.marks;
    v_left := v_left - coalesce(cardinality(v_claimed.jobs), 0);
    v_seen := v_seen + v_candidates.n;
    exit when v_left <= 0 or v_candidates.n < v_page or v_seen >= 4000;
    v_page := least(1000, 4 * v_page);
  end loop;
end $$;

-- Moves these jobs of a queue, which the caller found and locked in `ready`, to `running` for a worker, as
-- claim_from does for many.
create or replace function holdfast.run_selected(
  p_worker_id int, p_lease bigint, p_lease_ms int, p_queue int, p_levels smallint[], p_jobs bigint[],
    p_limited boolean, p_now timestamptz,
  out jobs bigint[], out marks int[]
)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_queue holdfast.queue;
  v_shared boolean;
  v_lease_ms int;
begin
  select * into v_queue from holdfast.queue q where q.id = p_queue;
  v_shared := v_queue.renewed_by = 'heartbeat' and p_lease is not null;
  v_lease_ms := coalesce(p_lease_ms, v_queue.lease_ms,
    (holdfast.setting_number('LEASE_SEC_DEFAULT') * 1000)::int);
  with deleted as (
    delete from holdfast.ready x using unnest(array_fill(p_queue, array[coalesce(cardinality(p_jobs), 0)]),
      p_levels, p_jobs) i (queue_id, level, job_id)
    where x.queue_id = any (array[i.queue_id]) and x.level = any (array[i.level])
      and x.job_id = any (array[i.job_id]) returning x.*),
  started as materialized (
    select g.*, case when v_shared then p_lease else holdfast.new_lease_id() end as lease from deleted g),
  running_row as (
    insert into holdfast.running (job_id, lane, ord, lease, claimed_at, queue_id, attempt, interruptions,
      worker_id, priority, failures, losses, keyed, own_lease, limited)
    select t.job_id, t.lane, t.ord, t.lease, p_now, t.queue_id, t.attempt + 1, t.interruptions, p_worker_id,
      t.priority, t.failures, t.losses, t.keyed, not v_shared, p_limited
    from started t),
  lease_row as (
    insert into holdfast.lease (id, worker_id, lease_ms, opened_at, heartbeat_at, expires_at, job_id,
      queue_id)
    select t.lease, p_worker_id, v_lease_ms, p_now, p_now, p_now + interval '1 ms' * v_lease_ms, t.job_id,
      t.queue_id
    from started t where not v_shared),
  event_row as (
    insert into holdfast.event (at, tenant, type, job_ids)
    select p_now, v_queue.tenant, 'claimed', array_agg(t.job_id) from started t having count(*) > 0)
  select array_agg(t.job_id), array_agg(t.level * 4 + (t.since is null)::int * 2
    + (v_queue.timeout_ms is not null)::int)
    into jobs, marks from started t;
end $$;

-- Whether a claim with this hint would find a job in the queue: asked before a limited queue is locked, so
-- that polling an empty one writes nothing.
create or replace function holdfast.has_ready(p_queue int, p_level smallint, p_job bigint) returns boolean
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select exists (select from holdfast.ready x where x.queue_id = p_queue
    and (x.level, x.job_id) > (coalesce(p_level, -1), coalesce(p_job, 0)))
    or exists (select from holdfast.ready x where x.queue_id = p_queue and x.level < p_level)
    or exists (select from holdfast.ready x where x.queue_id = p_queue and x.level = p_level
      and x.job_id <= p_job and x.since is not null)
$$;

-- The positions in a long list of queues that may have a job to claim, in order. It steps from queue to queue
-- that has ready jobs, so a thousand empty queues cost as much as none. A queue with a hint is returned
-- unseen and stepped over: the hint exists because of dead index entries that a look would have to walk
-- through. Null: too many other queues have jobs; claim from all of them.
create or replace function holdfast.queues_with_ready(p_queues int[], p_hint_jobs bigint[]) returns int[]
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_found int[];
  v_positions int[];
begin
  with recursive hinted as (
    select u.id from unnest(p_queues, p_hint_jobs) u (id, job_id) where u.job_id is not null),
  gap as (
    select e.id as lo, lead(e.id) over (order by e.id) as hi
    from (select h.id from hinted h union select min(u.id) - 1
      from unnest(p_queues) u (id) union select max(u.id) + 1 from unnest(p_queues) u (id)) e),
  step as (
    select g.lo as id, g.hi from gap g where g.hi is not null
    union all
    select n.id, s.hi from step s cross join lateral (
      select x.queue_id as id from holdfast.ready x where x.queue_id > s.id and x.queue_id < s.hi
        order by x.queue_id limit 1) n)
  select array_agg(t.id) into v_found from (select s.id from step s limit cardinality(p_queues) + 1) t;
  if cardinality(v_found) > cardinality(p_queues) then
    return null;
  end if;
  select array_agg(u.n order by u.n) into v_positions from unnest(p_queues) with ordinality u (id, n)
    join unnest(v_found) f (id) on f.id = u.id;
  return coalesce(v_positions, '{}');
end $$;
