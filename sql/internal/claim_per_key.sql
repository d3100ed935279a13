-- Up to p_limit jobs of a queue whose rate counts for each key. Jobs of keys without a token are passed over and delayed, and the look
-- goes on behind them, over some 5,000 jobs in one claim: a flood of one key holds up the others for one claim in 5,000 of it.
create or replace function holdfast.claim_per_key(p_worker_id int, p_lease bigint, p_lease_ms int, p_queue int, p_limit int, p_now timestamptz,
  out jobs bigint[], out marks int[])
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
  v_left int := p_limit;
  v_look int := p_limit + 20;
  v_seen int := 0;
  v_next record;
  v_start record;
  v_took record;
begin
  loop
    select array_agg(c.level order by c.level, c.job_id) as levels, array_agg(c.job_id order by c.level, c.job_id) as jobs,
        array_agg(coalesce(j.target, j.key, j.subject, '') order by c.level, c.job_id) as keys,
        array_agg(c.since is null order by c.level, c.job_id) as fresh, count(*)::int as n
      into v_next
      from (select x.level, x.job_id, x.since from holdfast.ready x where x.queue_id = p_queue
            order by x.level, x.job_id limit v_look for update skip locked) c
      join holdfast.job j on j.id = any (array[c.job_id]);
    exit when v_next.n = 0;
    v_start := holdfast.hold_back(p_queue, v_next.levels, v_next.jobs, v_next.keys, v_next.fresh, v_left, p_now);
    v_took := holdfast.start_these(p_worker_id, p_lease, p_lease_ms, p_queue, v_start.levels, v_start.jobs, true, p_now);
    jobs := jobs || v_took.jobs;
    marks := marks || v_took.marks;
    v_left := v_left - coalesce(cardinality(v_took.jobs), 0);
    v_seen := v_seen + v_next.n;
    exit when v_left <= 0 or v_next.n < v_look or v_seen >= 4000;
    v_look := least(1000, 4 * v_look);
  end loop;
end $$;
