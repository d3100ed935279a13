-- These jobs, each with what its kind declares where it gives no value itself. Null when none of their kinds declares anything.
create or replace function holdfast.with_kinds(p_jobs jsonb, p_tenant text) returns jsonb
language plpgsql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
begin
  if not exists (select from holdfast.kind k where k.tenant = p_tenant and k.says)
    or not exists (select from (select distinct j.kind from jsonb_to_recordset(p_jobs) j (kind text)) j
      join holdfast.kind k on k.tenant = p_tenant and k.kind = j.kind and k.says) then
    return null;
  end if;
  return (
    select jsonb_agg(case when k.kind is null then j.job else
        jsonb_strip_nulls(jsonb_build_object('max_retries', k.max_retries, 'timeout_ms', k.timeout_ms, 'priority', k.priority,
          'key', case when j.job ->> 'key' is null and k.key is not null then holdfast.fill_template(k.key, j.job -> 'input', 'key') end,
          'target', case when j.job ->> 'target' is null and k.target is not null then holdfast.fill_template(k.target, j.job -> 'input', 'target') end))
        || jsonb_strip_nulls(j.job - 'input')
        || case when j.job ? 'input' then jsonb_build_object('input', j.job -> 'input') else '{}' end
      end order by j.n)
    from jsonb_array_elements(p_jobs) with ordinality j (job, n)
    left join holdfast.kind k on k.tenant = p_tenant and k.kind = j.job ->> 'kind' and k.says);
end $$;
