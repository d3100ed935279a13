-- Stores what a program declares about its kinds of jobs: an array of objects with kind and queue and, where
-- declared, max_retries, timeout_ms, priority, key, target, search, by_program. The last declaration counts;
-- nothing is written if nothing differs. Returns how many kinds changed.
create or replace function holdfast.declare_kinds(p_kinds jsonb, p_tenant text default 'default',
  p_actor text default null) returns int
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_changed int;
begin
  perform holdfast.check_tenant(p_tenant);
  insert into holdfast.kind as k (tenant, kind, queue, max_retries, timeout_ms, priority, key, target,
    by_program, search, search_since, declared_at, declared_by)
    select p_tenant, d.kind, d.queue, d.max_retries, d.timeout_ms, d.priority, d.key, d.target,
      coalesce(d.by_program, '{}'), d.search, case when d.search is not null then holdfast.now() end,
      holdfast.now(), p_actor
    from jsonb_to_recordset(p_kinds) d (kind text, queue text, max_retries int, timeout_ms int,
      priority smallint, key text, target text, by_program text[],
      search text[])
    where not exists (select from holdfast.kind o where o.tenant = p_tenant and o.kind = d.kind
      and (o.queue, o.max_retries, o.timeout_ms, o.priority, o.key, o.target, o.by_program,
          o.search)
        is not distinct from (d.queue, d.max_retries, d.timeout_ms, d.priority, d.key, d.target,
          coalesce(d.by_program, '{}'), d.search))
    -- sorted, so that two programs that start at the same time never deadlock
    order by d.kind collate "C"
    on conflict (tenant, kind) do update set queue = excluded.queue, max_retries = excluded.max_retries,
      timeout_ms = excluded.timeout_ms,
      priority = excluded.priority, key = excluded.key, target = excluded.target,
        by_program = excluded.by_program, search = excluded.search,
      -- fields that are searchable already stay so; a new one makes the kind begin again
      search_since = case when k.search @> excluded.search then k.search_since
        else excluded.search_since end,
      declared_at = excluded.declared_at, declared_by = excluded.declared_by;
  get diagnostics v_changed = row_count;
  return v_changed;
end $$;

-- Refuses jobs of a kind that no program has declared, in a queue for which programs have declared kinds: a
-- misspelt kind would wait for a worker that never comes. Nothing is refused in a queue without declared
-- kinds, where the queue accepts them (unknown_kinds), and of our own kinds.
create or replace function holdfast.refuse_unknown_kinds(p_jobs jsonb, p_tenant text) returns void
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_job record;
begin
  if not exists (select from holdfast.kind k where k.tenant = p_tenant) then
    return;
  end if;
  select j.queue, j.kind into v_job from jsonb_to_recordset(p_jobs) j (queue text, kind text)
    where not exists (select from holdfast.kind k where k.tenant = p_tenant and k.kind = j.kind)
      and exists (select from holdfast.kind k where k.tenant = p_tenant and k.queue = j.queue)
      and not exists (select from holdfast.queue q where q.tenant = p_tenant and q.name = j.queue
        and q.unknown_kinds = 'accept')
      -- in two pieces, so that the name is not replaced as that of the schema
      and not starts_with(j.kind, 'holdfast' || '.')
    limit 1;
  if found then
    perform holdfast.refuse('unknown_kind', format(
      'No program has declared the kind %s, and the queue %s takes declared kinds only.', v_job.kind,
      v_job.queue), jsonb_build_object('kind', v_job.kind, 'queue', v_job.queue, 'path', '/kind', 'known',
        (select jsonb_agg(k.kind) from (select x.kind from holdfast.kind x where x.tenant = p_tenant
          order by x.queue <> v_job.queue, x.kind limit 1000) k)));
  end if;
end $$;

-- These jobs, with the declared values of their kind where a job has none itself. Null if none of their kinds
-- declares any.
create or replace function holdfast.with_kinds(p_jobs jsonb, p_tenant text) returns jsonb
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  if not exists (select from holdfast.kind k where k.tenant = p_tenant and k.has_defaults)
    or not exists (select from (select distinct j.kind from jsonb_to_recordset(p_jobs) j (kind text)) j
      join holdfast.kind k on k.tenant = p_tenant and k.kind = j.kind and k.has_defaults) then
    return null;
  end if;
  return (
    select jsonb_agg(case when k.kind is null then j.job else
        jsonb_strip_nulls(jsonb_build_object('max_retries', k.max_retries, 'timeout_ms', k.timeout_ms,
          'priority', k.priority,
          'key', case when j.job ->> 'key' is null and k.key is not null then holdfast.fill_template(k.key,
            j.job -> 'input', 'key') end,
          'target', case when j.job ->> 'target' is null and k.target is not null
            then holdfast.fill_template(k.target, j.job -> 'input', 'target') end))
        || jsonb_strip_nulls(j.job - 'input')
        || case when j.job ? 'input' then jsonb_build_object('input', j.job -> 'input') else '{}' end
      end order by j.n)
    from jsonb_array_elements(p_jobs) with ordinality j (job, n)
    left join holdfast.kind k on k.tenant = p_tenant and k.kind = j.job ->> 'kind' and k.has_defaults);
end $$;

-- The key or target that a kind's template yields for an input: {a.b} stands for that field of the input, {}
-- for the input itself. Null if a field is missing or null. Only text, whole numbers, true and false are
-- written the same by every program; anything else is refused.
create or replace function holdfast.fill_template(p_template text, p_input jsonb, p_name text) returns text
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_texts text[] := regexp_split_to_array(p_template, '\{[^{}]*\}');
  v_filled text := v_texts[1];
  v_field text;
  v_value jsonb;
  v_n int := 1;
begin
  for v_field in select m[1] from regexp_matches(p_template, '\{([^{}]*)\}', 'g') m loop
    v_n := v_n + 1;
    v_value := case v_field when '' then p_input else p_input #> string_to_array(v_field, '.') end;
    if v_value is null or v_value = 'null' then
      return null;
    elsif jsonb_typeof(v_value) in ('string', 'boolean') then
      v_filled := v_filled || (v_value #>> '{}') || v_texts[v_n];
    elsif jsonb_typeof(v_value) = 'number' and abs(v_value::numeric) <= 9007199254740991
      and v_value::numeric = trunc(v_value::numeric) then
      v_filled := v_filled || trunc(v_value::numeric)::text || v_texts[v_n];
    else
      perform holdfast.refuse('invalid_input', format(
        'The input field {%s}, which makes the %s of this kind, is not text, a whole number, true or false.',
        v_field, p_name), jsonb_build_object('path', '/input', 'problem', format('{%s} makes no %s', v_field,
          p_name)));
    end if;
  end loop;
  return v_filled;
end $$;
