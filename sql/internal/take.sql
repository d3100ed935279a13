-- The jobs of a claim: takes up to p_limit of them for the worker and says which, with their marks (see claimed_jobs).
--
-- When there is not enough to hand out, what has fallen due is brought in first: delayed jobs, expired leases, arrivals at
-- targets. So a job is claimable when its time has come, whether or not any upkeep is running. Where a limit is what keeps us from more,
-- there is no need to look for more; only when it gave nothing may the jobs of a dead worker be what fills it.
--
-- Fair between queues: in the first round a queue gets at most its share (an eighth of p_limit, or an equal part where fewer
-- queues are listed), in the order listed; what is left goes to whoever has more. A caller that turns the list starves nobody.
-- Queues with limits take part in their turn, each locked for as long as this transaction; one that is locked is left out. The others
-- are claimed all at once, and know nothing of it.
-- Hints: the caller has drained level p_hint_levels[i] of queue i up to job p_hint_jobs[i] a moment ago, so a claim need not
-- walk over index entries of rows that are gone but cannot be vacuumed yet (a long transaction somewhere holds them). A hint must
-- lag, because a transaction that commits late brings a lower id, and be left out now and then, to find what came later still.
--
-- After taking rows the worker's lease is kept by a key share lock until commit: a sweep of that lease waits for us, or has
-- happened, and then we take nothing. Without it, a claim that commits after its lease was swept left running rows that nobody
-- would ever sweep. A claim that took nothing locks nothing and writes nothing.
-- Its commit waits for the disk like any other: a claim that a crash takes back is handed out once more with the same attempt, and may
-- have ended a job whose end others have read.
create or replace function holdfast.take(
  p_worker text, p_lease bigint, p_queues int[], p_limit int, p_lease_ms int, p_hint_levels smallint[], p_hint_jobs bigint[], p_since xid8,
  out jobs bigint[], out marks int[]
)
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_worker int := holdfast.worker_id(p_worker);
  v_queues int := cardinality(p_queues);
  v_share int := case when v_queues <= 1 then p_limit else ceil(p_limit / least(v_queues, 8)::numeric) end;
  v_left int := p_limit;
  v_before int;
  v_most int;
  v_from int;
  v_took record;
  v_limited record;
  v_room record;
  v_places int[];
  -- those of the listed queues that may have work, where many are listed
  v_listed int[] := p_queues;
  v_levels smallint[] := p_hint_levels;
  v_jobs bigint[] := p_hint_jobs;
  v_wanted int;
  -- queues of this round that have more than their limit lets go
  v_capped int;
begin
  for pass in 1..2 loop
    if v_queues > 64 then
      v_places := coalesce(holdfast.with_work(p_queues, p_hint_jobs), array(select generate_series(1, v_queues)));
      select array_agg(p_queues[n] order by n), array_agg(p_hint_levels[n] order by n), array_agg(p_hint_jobs[n] order by n)
        into v_listed, v_levels, v_jobs from unnest(v_places) n;
    end if;
    for round in 1..2 loop
      v_before := v_left;
      v_capped := 0;
      v_most := case round when 1 then v_share else v_left end;
      v_from := 1;
      for v_limited in
        select q.id, n.n from holdfast.queue q cross join lateral (select array_position(v_listed, q.id) as n) n
        where q.id = any (v_listed) and q.limited and q.paused_at is null and holdfast.has_ready(q.id, v_levels[n.n], v_jobs[n.n])
        order by n.n
      loop
        if v_from < v_limited.n then
          v_took := holdfast.claim_from(v_worker, p_lease, p_lease_ms, v_listed[v_from:v_limited.n - 1],
            v_levels[v_from:v_limited.n - 1], v_jobs[v_from:v_limited.n - 1], v_left, v_most, false, holdfast.now());
          jobs := jobs || v_took.jobs;
          marks := marks || v_took.marks;
          v_left := p_limit - coalesce(cardinality(jobs), 0);
        end if;
        v_from := v_limited.n + 1;
        exit when v_left <= 0;
        v_wanted := least(v_most, v_left);
        v_room := holdfast.room_in(v_limited.id, v_wanted);
        if v_room.may = 0 then
          v_capped := v_capped + v_room.busy::int;
          continue;
        end if;
        if v_room.per_key then
          v_took := holdfast.claim_per_key(v_worker, p_lease, p_lease_ms, v_limited.id, v_room.may, v_room.at);
        else
          v_took := holdfast.claim_from(v_worker, p_lease, p_lease_ms, array[v_limited.id],
            v_levels[v_limited.n:v_limited.n], v_jobs[v_limited.n:v_limited.n], v_room.may, v_room.may, true, v_room.at);
        end if;
        jobs := jobs || v_took.jobs;
        marks := marks || v_took.marks;
        v_left := p_limit - coalesce(cardinality(jobs), 0);
        v_capped := v_capped + (cardinality(v_took.jobs) is not distinct from v_room.may and v_room.may < v_wanted)::int;
        if v_room.metered then
          perform holdfast.spend(v_limited.id, coalesce(cardinality(v_took.jobs), 0), v_room.at);
        end if;
      end loop;
      if v_left > 0 and v_from <= cardinality(v_listed) then
        v_took := holdfast.claim_from(v_worker, p_lease, p_lease_ms, v_listed[v_from:], v_levels[v_from:], v_jobs[v_from:], v_left, v_most,
          false, holdfast.now());
        jobs := jobs || v_took.jobs;
        marks := marks || v_took.marks;
        v_left := p_limit - coalesce(cardinality(jobs), 0);
      end if;
      -- somebody had its full share: there may be more
      exit when v_left <= 0 or v_queues <= 1 or v_before - v_left < v_share;
    end loop;
    exit when v_left <= 0 or pass = 2 or v_capped = v_queues or not holdfast.bring_in_due(least(1000, greatest(100, v_left)));
  end loop;
  if v_left < p_limit and p_lease is not null then
    perform holdfast.hold_lease(p_lease, p_since);
  end if;
end $$;
