-- Keeps what a program declares of its kinds of jobs: an array of objects with kind and queue and, where declared, max_retries, timeout_ms,
-- priority, key, target, by_program. The last declaration counts; nothing is written where nothing differs. Answers how many kinds changed.
create or replace function holdfast.declare_kinds(p_kinds jsonb, p_tenant text default 'default', p_actor text default null) returns int
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_changed int;
begin
  perform holdfast.check_tenant(p_tenant);
  insert into holdfast.kind as k (tenant, kind, queue, max_retries, timeout_ms, priority, key, target, by_program, declared_at, declared_by)
    select p_tenant, d.kind, d.queue, d.max_retries, d.timeout_ms, d.priority, d.key, d.target, coalesce(d.by_program, '{}'), holdfast.now(), p_actor
    from jsonb_to_recordset(p_kinds) d (kind text, queue text, max_retries int, timeout_ms int, priority smallint, key text, target text, by_program text[])
    where not exists (select from holdfast.kind o where o.tenant = p_tenant and o.kind = d.kind
      and (o.queue, o.max_retries, o.timeout_ms, o.priority, o.key, o.target, o.by_program)
        is not distinct from (d.queue, d.max_retries, d.timeout_ms, d.priority, d.key, d.target, coalesce(d.by_program, '{}')))
    -- sorted, so that two programs that start at the same time never deadlock
    order by d.kind collate "C"
    on conflict (tenant, kind) do update set queue = excluded.queue, max_retries = excluded.max_retries, timeout_ms = excluded.timeout_ms,
      priority = excluded.priority, key = excluded.key, target = excluded.target, by_program = excluded.by_program,
      declared_at = excluded.declared_at, declared_by = excluded.declared_by;
  get diagnostics v_changed = row_count;
  return v_changed;
end $$;
