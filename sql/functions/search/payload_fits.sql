-- Whether a job matches terms that are not in the statement of the search itself: more than one field of the
-- input, comparisons with numbers, text anywhere in it, labels, traces, and keywords that stand for several
-- fields. Each term has `is`, `not` and what it compares.
create or replace function holdfast.payload_fits(p_terms jsonb, p_id bigint, p_key text, p_target text,
  p_trace text, p_input jsonb, p_labels jsonb) returns boolean
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  t jsonb;
  v_values text[];
  v_value jsonb;
  v_fits boolean;
begin
  for t in select jsonb_array_elements(p_terms) loop
    v_values := holdfast.texts(t -> 'values');
    v_fits := case t ->> 'is'
      when 'input' then p_input #>> holdfast.texts(t -> 'path') like any (v_values)
      when 'label' then p_labels ->> (t ->> 'name') like any (v_values)
      when 'contains' then p_input::text ilike any (v_values)
      when 'trace' then p_trace like any (v_values) or substr(p_trace, 4, 32) like any (v_values)
      when 'id' then p_id = any (v_values::bigint[])
      when 'keyword' then p_key = t ->> 'text' or p_target = t ->> 'text' or p_trace = t ->> 'text'
        or substr(p_trace, 4, 32) = t ->> 'text' or p_id = (t ->> 'id')::bigint
      else false end;
    if t ->> 'is' = 'number' then
      v_value := p_input #> holdfast.texts(t -> 'path');
      v_fits := jsonb_typeof(v_value) = 'number'
        and (t ->> 'from' is null or v_value::numeric > (t ->> 'from')::numeric
          or v_value::numeric = (t ->> 'from')::numeric and (t ->> 'from_inclusive')::boolean)
        and (t ->> 'to' is null or v_value::numeric < (t ->> 'to')::numeric
          or v_value::numeric = (t ->> 'to')::numeric and (t ->> 'to_inclusive')::boolean);
    end if;
    if coalesce(v_fits, false) = (t ->> 'not')::boolean then
      return false;
    end if;
  end loop;
  return true;
end $$;

-- Whether a job is outside of ranges that a search excludes. `to` is the first value beyond a range; a range
-- may have one end, and a job without the value is outside of it.
create or replace function holdfast.is_outside(p_ranges jsonb, p_id bigint, p_attempt int,
  p_priority smallint,
  p_created_at timestamptz, p_finished_at timestamptz) returns boolean
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  r jsonb;
  v_value numeric;
begin
  for r in select jsonb_array_elements(p_ranges) loop
    v_value := case r ->> 'field' when 'id' then p_id when 'attempts' then p_attempt
      when 'priority' then p_priority
      when 'created' then extract(epoch from p_created_at) * 1000
      when 'finished' then extract(epoch from p_finished_at) * 1000
      when 'age' then extract(epoch from holdfast.now() - p_created_at) * 1000 end;
    if v_value >= coalesce((r ->> 'from')::numeric, v_value)
      and v_value < coalesce((r ->> 'to')::numeric, v_value + 1) then
      return false;
    end if;
  end loop;
  return true;
end $$;

-- Whether the attempts of a job match terms about them: by these workers (also the present one), or with an
-- error of which the message has a part, or of this class or fingerprint.
create or replace function holdfast.attempts_fit(p_terms jsonb, p_id bigint) returns boolean
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  t jsonb;
  v_fits boolean;
begin
  for t in select jsonb_array_elements(p_terms) loop
    v_fits := exists (select from holdfast.attempt a where a.job_id = p_id
        and ((a.worker_id = any (holdfast.texts(t -> 'workers')::int[])
              or t ? 'versions' and not t ? 'workers')
            and (not t ? 'versions' or holdfast.version_at(t ->> 'tenant', a.worker_id,
              coalesce(a.claimed_at, a.finished_at)) like any (holdfast.texts(t -> 'versions')))
          or t ? 'patterns' and holdfast.worker_fits(a.worker_id, holdfast.texts(t -> 'patterns'))
          or a.error_message ilike any (holdfast.texts(t -> 'parts'))
          or a.error_class = any (holdfast.texts(t -> 'exact'))
          or a.error_fingerprint = any (holdfast.texts(t -> 'exact'))))
      or exists (select from holdfast.running r where r.job_id = p_id
        and ((r.worker_id = any (holdfast.texts(t -> 'workers')::int[])
              or t ? 'versions' and not t ? 'workers')
            and (not t ? 'versions' or holdfast.version_at(t ->> 'tenant', r.worker_id, r.claimed_at)
              like any (holdfast.texts(t -> 'versions')))
          or t ? 'patterns' and holdfast.worker_fits(r.worker_id, holdfast.texts(t -> 'patterns'))));
    if v_fits = (t ->> 'not')::boolean then
      return false;
    end if;
  end loop;
  return true;
end $$;

-- Whether the name of a worker fits one of these patterns.
create or replace function holdfast.worker_fits(p_worker int, p_patterns text[]) returns boolean
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return exists (select from holdfast.worker w where w.id = p_worker and w.name like any (p_patterns));
end $$;

-- Terms about attempts, with the ids of the workers that they name or that had their version. A version that
-- over a thousand workers had is compared attempt by attempt, without their ids, as patterns of names are.
create or replace function holdfast.with_worker_ids(p_terms jsonb, p_tenant text) returns jsonb
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select jsonb_agg(case when t.term ?| '{names,versions}'
      then t.term || jsonb_build_object('tenant', p_tenant)
        || case when jsonb_array_length(w.ids) <= 1000 or not t.term ? 'versions'
          then jsonb_build_object('workers', w.ids) else '{}' end
      else t.term end order by t.n)
    from jsonb_array_elements(p_terms) with ordinality t (term, n)
      cross join lateral (
        select coalesce(jsonb_agg(distinct w.id), '[]') as ids from (
          select w.id from holdfast.worker w where w.name = any (holdfast.texts(t.term -> 'names'))
          union all
          (select distinct v.worker_id from holdfast.worker_version v
            where t.term ? 'versions' and v.tenant = p_tenant
              and v.version like any (holdfast.texts(t.term -> 'versions')) limit 1001)) w) w);
end $$;

-- The version that a worker ran at a time, as count_minutes counts it: the first heartbeat of a process may
-- come after its first claim.
create or replace function holdfast.version_at(p_tenant text, p_worker int, p_at timestamptz) returns text
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select v.version from holdfast.worker_version v where v.tenant = p_tenant and v.worker_id = p_worker
    and v.since <= p_at + interval '10 seconds'
  order by v.since desc limit 1
$$;
