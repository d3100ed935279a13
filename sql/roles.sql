-- Installs database roles: from here on the database itself refuses what a role may not do. Optional; without
-- it the owner of the schema does everything. Apply it in one transaction (psql -1 -f sql/roles.sql), as a
-- superuser or as the owner of the schema with CREATEROLE; again after every migration, which `holdfast
-- migrate up` does by itself. docs/roles.md explains what it is for.
--
-- How it works: a role that cannot log in owns everything. It is no superuser, because row-level security
-- does not bind superusers. Verbs run as that owner and are all that other roles may execute; no other role
-- has rights on a table. Policies are forced on the owner too and depend on session_user, so verbs and views
-- show only what the connected user may see.
reset role;
set local search_path = pg_catalog, pg_temp;

-- The roles. Only the owner's own powers matter: through it every verb runs.
do $$
declare
  v_role text;
begin
  foreach v_role in array array['holdfast_owner', 'holdfast_producer', 'holdfast_worker', 'holdfast_operator',
    'holdfast_reader', 'holdfast_server'] loop
    if not exists (select from pg_roles where rolname = v_role) then
      execute format('create role %I nologin', v_role);
    end if;
  end loop;
  if exists (select from pg_roles where rolname = 'holdfast_owner'
    and (rolsuper or rolbypassrls or rolcanlogin)) then
    raise exception 'the role holdfast_owner must be one that cannot log in, is no superuser and does not '
      'bypass row-level security';
  end if;
  -- Since Postgres 16 the creator of a role may give it away but is not a member that can act as it.
  if current_setting('server_version_num')::int < 160000 then
    if not pg_has_role(current_user, 'holdfast_owner', 'member') then
      execute format('grant holdfast_owner to %I', current_user);
    end if;
  elsif not (pg_has_role(current_user, 'holdfast_owner', 'usage')
    and pg_has_role(current_user, 'holdfast_owner', 'set')) then
    execute format('grant holdfast_owner to %I with inherit true, set true', current_user);
  end if;
end $$;

-- Everything in the schema belongs to the owner role, which also owns what verbs create later (partitions).
do $$
declare
  v_schema name := (select n.nspname from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.oid = 'holdfast.job'::regclass);
  v_owner oid := 'holdfast_owner'::regrole;
  v_object record;
begin
  if (select nspowner from pg_namespace where nspname = v_schema) <> v_owner then
    execute format('alter schema %I owner to holdfast_owner', v_schema);
  end if;
  for v_object in
    select case c.relkind when 'v' then 'view' when 'S' then 'sequence' else 'table' end as kind,
      c.oid::regclass::text as name
      from pg_class c where c.relnamespace = v_schema::regnamespace and c.relowner <> v_owner
        and c.relkind in ('r', 'p', 'v', 'S')
        -- the sequence of an identity column goes with its table
        and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid
          and d.deptype in ('a', 'i') and c.relkind = 'S')
    union all
    select 'routine', p.oid::regprocedure::text from pg_proc p where p.pronamespace = v_schema::regnamespace
      and p.proowner <> v_owner
    union all
    select 'type', t.oid::regtype::text from pg_type t left join pg_class c on c.oid = t.typrelid
      where t.typnamespace = v_schema::regnamespace and t.typowner <> v_owner
        and (t.typtype = 'e' or c.relkind = 'c')
  loop
    execute format('alter %s %s owner to holdfast_owner', v_object.kind, v_object.name);
  end loop;
end $$;

set role holdfast_owner;
alter default privileges revoke execute on functions from public;

-- Who may act for which tenant; '*' is every tenant. Changed by grant_tenant and revoke_tenant.
do $$
begin
  if to_regclass('holdfast.tenant_grant') is null then
    create table holdfast.tenant_grant (
      role name not null,
      tenant text not null check (char_length(tenant) between 1 and 100),
      primary key (role, tenant)
    );
  end if;
  -- The tenants that a worker's lease was opened for. It holds jobs of these tenants only, so a role that
  -- acts for all of them may take it back.
  if not exists (select from pg_attribute where attrelid = 'holdfast.lease'::regclass
    and attname = 'tenants') then
    alter table holdfast.lease add column tenants text[];
    create trigger opened_for before insert on holdfast.lease for each row when (new.queue_id is null)
      execute function holdfast.lease_tenants();
  end if;
  insert into holdfast.tenant_grant (role, tenant) values ('holdfast_server', '*')
    on conflict (role, tenant) do nothing;
end $$;

-- Row-level security on every table, by the columns its rows have. The tenants of the connection are a
-- subquery that does not depend on the row, so it is evaluated once per statement. Policies that exist
-- already are left alone: creating one locks the table for a moment.
do $$
declare
  v_table record;
  v_policy record;
  v_mine constant text := '(select holdfast.visible_tenants())::text[]';
  -- null stands for every queue
  v_by_queue constant text := 'coalesce(queue_id = any ((select holdfast.visible_queues())::int[]), true)';
begin
  for v_table in
    select c.oid, c.relname as name, c.oid::regclass::text as full_name, c.relrowsecurity
      and c.relforcerowsecurity as secured,
      exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant'
        and a.attnotnull) as by_tenant,
      exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'queue_id'
        and a.attnotnull) as by_queue
    from pg_class c where c.relnamespace = (select relnamespace from pg_class
      where oid = 'holdfast.job'::regclass)
      -- a partition is reached through its parent, and no role has rights on it alone
      and c.relkind in ('r', 'p') and not c.relispartition and c.relname not like 'pruned\_%'
    order by c.relname
  loop
    if not v_table.secured then
      execute format('alter table %s enable row level security', v_table.full_name);
      execute format('alter table %s force row level security', v_table.full_name);
    end if;
    for v_policy in
      select p.name, p.command, p.rule, o.oid is not null as stands from (values
        ('sealed', 'all', case
          -- no tenant of its own: visible through the row it belongs to, which has the policy; a role for all
          -- tenants also sees rows whose owner is gone
          when v_table.name in ('progress', 'revoked') then
            format('''*'' = any (%s) or exists (select from holdfast.job j where j.id = %I.job_id)', v_mine,
              v_table.name)
          when v_table.name = 'lane_todo' then
            format('''*'' = any (%s) or exists (select from holdfast.lane l '
              'where l.id = lane_todo.lane & -1024)', v_mine)
          -- rows that belong to no tenant or map roles to tenants: only verbs read them
          when v_table.name in ('tenant_grant', 'lease') then null
          when v_table.name = 'tenant' then format('array[''*'', name] && %s', v_mine)
          when v_table.by_tenant then format('array[''*'', tenant] && %s', v_mine)
          when v_table.by_queue then v_by_queue end),
        ('open', 'all', case when v_table.name = 'tenant_grant'
          or v_table.name not in ('progress', 'revoked', 'lane_todo', 'lease', 'tenant')
            and not v_table.by_tenant and not v_table.by_queue then 'true' end),
        -- A reader sees until when a job of its tenant is leased, also if the lease is for other tenants as
        -- well; only a role that acts for all of them may change it.
        ('seen', 'select', case when v_table.name = 'lease' then
          format('case when queue_id is null then ''*'' = any (%1$s) or tenants && (%1$s || ''*''::text) '
            'else %2$s end', v_mine, v_by_queue) end),
        ('opened', 'insert', case when v_table.name = 'lease' then
          format('case when queue_id is null then tenants = %1$s else %2$s end', v_mine, v_by_queue) end),
        ('kept', 'update', case when v_table.name = 'lease' then
          format('case when queue_id is null then ''*'' = any (%1$s) or tenants <@ %1$s else %2$s end',
            v_mine, v_by_queue) end),
        ('closed', 'delete', case when v_table.name = 'lease' then
          format('case when queue_id is null then ''*'' = any (%1$s) or tenants <@ %1$s else %2$s end',
            v_mine, v_by_queue) end)
      ) p (name, command, rule)
      left join pg_policy o on o.polrelid = v_table.oid and o.polname = p.name
      where p.rule is distinct from obj_description(o.oid, 'pg_policy')
    loop
      if v_policy.stands then
        execute format('drop policy %I on %s', v_policy.name, v_table.full_name);
      end if;
      continue when v_policy.rule is null;
      execute format('create policy %I on %s for %s %s (%s)', v_policy.name, v_table.full_name,
        v_policy.command, case v_policy.command when 'insert' then 'with check' else 'using' end,
        v_policy.rule);
      execute format('comment on policy %I on %s is %L', v_policy.name, v_table.full_name, v_policy.rule);
    end loop;
  end loop;
end $$;

-- Which role may call which verbs and read which views. This is the only place that defines it; docs/roles.md
-- repeats it and a test compares both with the catalog.
do $$
declare
  v_schema name := (select n.nspname from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.oid = 'holdfast.job'::regclass);
  v_all text := 'holdfast_producer, holdfast_worker, holdfast_operator, holdfast_reader, holdfast_server';
  v_grant record;
begin
  execute format('revoke all on schema %I from public, %s', v_schema, v_all);
  execute format('revoke all on all tables in schema %I from public, %s', v_schema, v_all);
  execute format('revoke all on all sequences in schema %I from public, %s', v_schema, v_all);
  execute format('revoke all on all routines in schema %I from public, %s', v_schema, v_all);
  execute format('grant usage on schema %I to %s', v_schema, v_all);
  -- so that every program can check whether it knows this version of the schema
  execute format('grant select on %1$I.migration, %1$I.code, %1$I.move to %2$s', v_schema, v_all);

  for v_grant in
    select g.role, v.name, p.oid::regprocedure as routine from (values
      ('holdfast_producer',
        'enqueue enqueue_many publish cancel declare_kinds '
        'create_queue wake '
        'explain job_history queue_of find_jobs search_ids read_keyword found_jobs facets_of related_jobs '
        'queue_counts state_counts live_kinds find_targets'),
      ('holdfast_worker',
        'discard declare_kinds '
        'claim claim_batch claim_by_id start locked_claims release_unlisted unpark has_work '
        'open_lease renew close_lease '
        'report log_lines finish finish_succeeded complete '
        'create_queue queue_ids depth wake work_terms depth_by_kind '
        'worker_heartbeat remove_worker record_scale '
        'queue_of states_of '
        'take_outbox outbox_settle outbox_requeue outbox_backfill outbox_counts triggered_queues'),
      ('holdfast_operator',
        'publish cancel retry resume skip discard boost set_priority force_finish '
        'create_queue set_policy change_queue rename_queue remove_queue pause_queue resume_queue depth wake '
        'queue_metrics depth_by_kind '
        'queue_gauges queue_counts state_counts live_kinds find_targets flow problems counted_to queue_state '
        'worker_jobs drain_worker '
        'explain job_history queue_of find_jobs search_ids read_keyword found_jobs facets_of related_jobs '
        'states_of retries_of '
        'feed '
        'create_schedule change_schedule remove_schedule pause_schedule resume_schedule run_schedule '
        'add_subject set_subject remove_subject '
        'outbox_requeue outbox_counts claim_reconcile_turn failed_without_dead_letter '
        'silence_alert '
        'start_bulk abort_bulk take_bulk apply_bulk release_bulk count_states '
        'save_view change_view remove_view'),
      ('holdfast_reader',
        'depth queue_metrics depth_by_kind '
        'queue_gauges queue_counts state_counts live_kinds find_targets flow problems counted_to queue_state '
        'count_states worker_jobs '
        'explain job_history queue_of find_jobs search_ids read_keyword found_jobs facets_of related_jobs '
        'states_of retries_of '
        'feed '
        'outbox_counts'),
      ('holdfast_server',
        'enqueue enqueue_many publish cancel discard retry resume skip boost set_priority force_finish '
        'declare_kinds '
        'claim claim_batch claim_by_id start locked_claims release_unlisted unpark queues_with_work '
        'has_work '
        'open_lease renew close_lease leases_for '
        'report log_lines finish finish_succeeded complete '
        'create_queue set_policy change_queue rename_queue remove_queue pause_queue resume_queue queue_ids '
        'depth wake work_terms queue_metrics depth_by_kind '
        'queue_gauges queue_counts state_counts live_kinds find_targets flow problems counted_to queue_state '
        'worker_jobs worker_heartbeat remove_worker drain_worker record_scale '
        'explain job_history queue_of find_jobs search_ids read_keyword found_jobs facets_of related_jobs '
        'states_of retries_of '
        'feed '
        'create_schedule change_schedule remove_schedule pause_schedule resume_schedule run_schedule '
        'due_schedules next_firing fire_schedule fire_waiting skip_slots '
        'add_subject set_subject remove_subject enqueue_stale_subjects '
        'take_outbox outbox_settle outbox_requeue outbox_backfill outbox_counts claim_reconcile_turn '
        'failed_without_dead_letter triggered_queues '
        'check_alerts silence_alert set_alert_rule alert_gauges '
        'start_bulk abort_bulk take_bulk apply_bulk release_bulk count_states '
        'save_view change_view remove_view '
        'add_webhook enable_webhook remove_webhook webhook_target take_deliveries settle_delivery '
        'set_tenant_limits grant_tenant revoke_tenant create_key rotate_key revoke_key authenticate '
        'keys_required_since record_calls expire_keys open_web_session use_web_session close_web_session '
        'promote reclaim age make_partitions prune prune_records count_minutes reset_after record_chores '
        'lost_attempts '
        'settle_targets '
        'set_setting'),
      -- Functions that views and policies call as the reader of the view, and the clock that statements of
      -- the library read. They show nothing but the reader's own tenants.
      ('holdfast_producer', 'visible_tenants visible_queues all_levels state_word setting_number now'),
      -- The default lease of a queue, and the grace period of a shutdown.
      ('holdfast_worker', 'setting_number'),
      ('holdfast_operator',
        'is_worker_alive '
        'visible_tenants visible_queues all_levels state_word setting_number is_ahead view_now now'),
      ('holdfast_reader',
        'is_worker_alive '
        'visible_tenants visible_queues all_levels state_word setting_number is_ahead view_now now'),
      ('holdfast_server',
        'is_worker_alive '
        'key_state '
        'visible_tenants visible_queues all_levels state_word setting_number is_ahead view_now '
        'now')) g (role, verbs)
    cross join lateral string_to_table(g.verbs, ' ') v (name)
    left join pg_proc p on p.pronamespace = v_schema::regnamespace and p.proname = v.name
  loop
    if v_grant.routine is null then
      raise exception 'there is no function %', v_grant.name;
    end if;
    execute format('grant execute on function %s to %I', v_grant.routine, v_grant.role);
  end loop;

  for v_grant in
    select g.role, v.name from (values
      ('holdfast_producer', 'jobs jobs_aliases job_attempts attempts items queues kinds'),
      ('holdfast_operator',
        'jobs jobs_aliases job_attempts attempts items queues kinds events violations workers settings '
        'subjects chores queue_minutes alerts alert_events alert_rules schedules firings schedule_windows '
        'bulk_operations bulk_results saved_views '
        'stats counted_kinds kind_versions error_groups error_counts'),
      ('holdfast_reader',
        'jobs jobs_aliases job_attempts attempts items queues kinds events violations workers settings '
        'subjects chores queue_minutes alerts alert_events alert_rules schedules firings schedule_windows '
        'bulk_operations bulk_results saved_views '
        'stats counted_kinds kind_versions error_groups error_counts'),
      ('holdfast_server',
        'jobs jobs_aliases job_attempts attempts items queues kinds events violations workers settings '
        'api_keys audit_log tenants subjects chores queue_minutes alerts alert_events alert_rules webhooks '
        'webhook_deliveries schedules firings schedule_windows bulk_operations bulk_results '
        'saved_views stats counted_kinds kind_versions error_groups error_counts')) g (role, views)
    cross join lateral string_to_table(g.views, ' ') v (name)
  loop
    execute format('grant select on %I.%I to %I', v_schema, v_grant.name, v_grant.role);
  end loop;
end $$;
