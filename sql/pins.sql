-- Planner settings of the functions, applied after all of them are created.
--
-- Rows of `ready`, `running` and `delayed` turn over all day, so the statistics of these tables are wrong
-- most of the time: with those of an empty table a claim would sort the whole backlog. Each profile below
-- therefore switches off the plans that are wrong when the tables are full, and keeps one generic plan for
-- every call instead of planning each of them. A setting holds for what the function calls as well; a helper
-- needs pins only if it is also called from elsewhere, or differs from its caller. The plan tests
-- (test/store/plans) count pages on a million rows, on empty tables and with stale
-- statistics; run them after any change here.
--
-- CREATE OR REPLACE FUNCTION drops these settings: run this file after replacing one by hand.
-- Settings that are behaviour (search_path, lock_timeout) stand in the functions themselves.
--
-- What each setting is there for:
--   enable_seqscan = off      the tables look empty to the planner, and are not
--   enable_bitmapscan = off   a bitmap loses the order of the index: `order by ... limit n` would read every
--                             match
--   enable_hashjoin, enable_mergejoin = off
--                             a list of ids is looked up row by row; a hash or a merge would read the other
--                             table whole
--   enable_sort = off         the order comes from an index; a sort would read everything in front of the
--                             limit
--   enable_material = off     the inner side is read again from its index, not copied
--   enable_nestloop = off     the opposite: one scan finds all jobs of a page (0.4 us each; looked up one by
--                             one, 2 us)
--   jit = off                 compiling takes longer than these statements run
--   plan_cache_mode           force_generic_plan: planning costs more than these statements, and opens every
--                             range of the history; force_custom_plan: the ranges a call needs depend on its
--                             arguments
do $pins$
declare
  p record;
  v_function regprocedure;
  v_setting text;
begin
  for p in
    select s.profile, string_to_array(s.settings, ' ') as settings, n.name
    from (values
      -- Statements on the hot path that join a list of jobs with the tables they move between.
      ('batch', 'enable_seqscan=off enable_bitmapscan=off enable_hashjoin=off enable_mergejoin=off jit=off '
        'plan_cache_mode=force_generic_plan',
        'claim_from claim_oldest claim_per_key claimed_jobs end_attempts outbox_settle promote_jobs reclaim '
        'run_selected succeed take_outbox unpark '
        -- compiling a page of a bulk operation took two seconds; without it, a page of 500 jobs takes 25 ms
        -- besides its verbs
        'apply_bulk count_states'),
      -- The same for statements that stay below the cost at which Postgres begins to compile.
      ('join by index', 'enable_seqscan=off enable_bitmapscan=off enable_hashjoin=off enable_mergejoin=off '
        'plan_cache_mode=force_generic_plan',
        'explain failed_without_dead_letter job_history locked_claims outbox_backfill outbox_requeue '
        'place_arrivals place_in_lanes promote_due_in queues_with_work settle_lanes start states_of'),
      -- One job, lease or worker by its number.
      ('lookup', 'enable_seqscan=off enable_bitmapscan=off plan_cache_mode=force_generic_plan',
        'cancel claim_batch claim_by_id claim_rows complete enqueue_stale_subjects force_finish '
        'give_priority hold_lease related_jobs remove_worker renew requeue settle_targets state_of '
        'take_deliveries take_keys to_ended withdraw worker_heartbeat worker_id'),
      -- The same where no statement has an order to lose.
      ('short lookup', 'enable_seqscan=off plan_cache_mode=force_generic_plan',
        'authenticate free_capacity leases_for promote promote_due_work report retry with_kinds'),
      -- Small statements; the plan cache may decide for itself.
      ('no whole table', 'enable_seqscan=off', 'consume_tokens retries_of visible_queues wake'),
      -- Enqueue: a batch of a thousand jobs looks expensive to the planner, and each is an insert.
      ('enqueue', 'enable_seqscan=off jit=off plan_cache_mode=force_generic_plan',
        'enqueue_many enqueue_plain'),
      -- Aggregates over queues for metrics and alerts, asked for every few seconds at most.
      ('gauges', 'enable_seqscan=off enable_bitmapscan=off jit=off',
        'alert_late alert_rates outbox_counts queue_counts queue_gauges queue_metrics'),
      -- The same for the overview: some statements are large, and planning them takes longer than they do.
      ('overview', 'enable_seqscan=off enable_bitmapscan=off jit=off plan_cache_mode=force_generic_plan',
        'flow problems queue_state ready_fronts state_counts worker_jobs'),
      ('gauges by job', 'enable_seqscan=off enable_bitmapscan=off enable_hashjoin=off enable_mergejoin=off '
        'jit=off',
        'alert_backlog depth_by_kind find_targets live_kinds'),
      ('gauge of heads', 'enable_seqscan=off enable_bitmapscan=off enable_hashjoin=off enable_mergejoin=off '
        'enable_sort=off jit=off', 'alert_blocked'),
      ('gauge of running jobs', 'jit=off', 'alert_long'),
      ('depth', 'enable_seqscan=off enable_bitmapscan=off enable_hashjoin=off enable_mergejoin=off', 'depth'),
      ('first row', 'enable_seqscan=off enable_bitmapscan=off', 'has_ready'),
      ('first row of many queues', 'enable_seqscan=off enable_bitmapscan=off jit=off '
        'plan_cache_mode=force_generic_plan',
        'queues_with_ready'),
      -- Matched with a list by hash: a thousand jobs against a thousand would be a million comparisons.
      ('list by hash', 'enable_seqscan=off enable_bitmapscan=off enable_mergejoin=off '
        'plan_cache_mode=force_generic_plan',
        'mark_unstarted'),
      ('list by hash, compiled never', 'enable_seqscan=off enable_bitmapscan=off enable_mergejoin=off '
        'jit=off plan_cache_mode=force_generic_plan', 'throttle_by_key'),
      -- Pages in the order of an index. The due jobs of `delayed` and the rows of a list are read no further
      -- than the limit.
      ('page', 'enable_seqscan=off enable_bitmapscan=off enable_sort=off plan_cache_mode=force_generic_plan',
        'promote_due'),
      ('page with joins', 'enable_seqscan=off enable_bitmapscan=off enable_hashjoin=off enable_mergejoin=off '
        'enable_sort=off plan_cache_mode=force_generic_plan', 'prune_records recent_rate'),
      ('page with joins, compiled never', 'enable_seqscan=off enable_bitmapscan=off enable_hashjoin=off '
        'enable_mergejoin=off enable_sort=off jit=off plan_cache_mode=force_generic_plan', 'age'),
      ('list of jobs', 'enable_seqscan=off enable_bitmapscan=off enable_hashjoin=off enable_mergejoin=off '
        'enable_material=off enable_sort=off jit=off plan_cache_mode=force_generic_plan',
        'facets_of find_jobs found_jobs read_keyword search_ids'),
      -- The feed is read by transaction id, which is its index.
      ('feed', 'enable_seqscan=off enable_sort=off plan_cache_mode=force_generic_plan',
        'events_between feed'),
      -- Called by the feed, once after a failover: it reads all events whatever the feed has switched off.
      ('whole feed', 'enable_seqscan=on enable_sort=on', 'adopt_events'),
      -- All jobs of a page of events at once; see enable_nestloop above.
      ('count', 'enable_seqscan=off enable_bitmapscan=off enable_mergejoin=off enable_nestloop=off jit=off '
        'plan_cache_mode=force_generic_plan', 'count_events'),
      -- Running jobs without a lease: both tables are read whole, once, also where reclaim has switched
      -- hashing off.
      ('orphans', 'enable_hashjoin=on enable_mergejoin=off enable_nestloop=off '
        'plan_cache_mode=force_generic_plan', 'orphans'),
      -- Ranges of the history are chosen by the arguments.
      ('prune', 'jit=off plan_cache_mode=force_custom_plan', 'prune')
    ) s (profile, settings, names)
    cross join lateral unnest(string_to_array(s.names, ' ')) n (name)
  loop
    select f.oid into v_function from pg_catalog.pg_proc f
      where f.proname = p.name
        and f.pronamespace = (select c.relnamespace from pg_catalog.pg_class c
          where c.oid = 'holdfast.queue'::regclass);
    if not found then
      raise exception 'pins: the profile "%" names a function % that does not exist', p.profile, p.name;
    end if;
    foreach v_setting in array p.settings loop
      execute format('alter function %s set %s = %s', v_function, split_part(v_setting, '=', 1),
        split_part(v_setting, '=', 2));
    end loop;
  end loop;
end $pins$;
