-- Takes the bulk operation that has waited longest, for p_lease: no other process takes it meanwhile. Each
-- page that this process applies prolongs it, so the operation of a process that crashed is free after
-- p_lease. Tenants take turns: one that no page was applied for longest goes first.
create or replace function holdfast.take_bulk(p_runner text, p_lease interval default '15 seconds',
  p_operation bigint default null)
returns table (id bigint, tenant text, command text, q text, until timestamptz, page int, cursor text,
  matched int)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_now timestamptz := holdfast.now();
begin
  perform holdfast.check_sight(p_all => false);
  return query update holdfast.bulk_operation o set state = 'running', runner = p_runner,
      runner_until = v_now + p_lease, started_at = coalesce(o.started_at, v_now)
    from (select w.id from holdfast.bulk_operation w where w.state in ('waiting', 'running')
        and w.runner_until <= v_now and (p_operation is null or w.id = p_operation)
        order by w.runner_until, w.id limit 1 for update skip locked) n
    where o.id = n.id
    returning o.id, o.tenant, o.command, o.q, o.until, o.page, o.cursor, o.matched;
end $$;

-- Lets a bulk operation go that p_runner has taken. Without an error another process goes on at once. With
-- one, the page is tried again after p_retry_in; with p_retry_in null the operation has failed and ends.
-- False: this process no longer had it.
create or replace function holdfast.release_bulk(p_operation bigint, p_runner text,
  p_error text default null, p_retry_in interval default '0') returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_tenant text;
begin
  update holdfast.bulk_operation o set runner = null, runner_until = v_now + coalesce(p_retry_in, '0'),
      state = case when p_retry_in is null then 'failed' else o.state end,
      ended_at = case when p_retry_in is null then v_now end,
      error = coalesce(p_error, o.error), failures = o.failures + (p_error is not null)::int
    where o.id = p_operation and o.runner = p_runner and o.state = 'running'
    returning o.tenant into v_tenant;
  if not found then
    return false;
  end if;
  if p_retry_in is null then
    insert into holdfast.event (at, tenant, type, reason, data)
      values (v_now, v_tenant, 'bulk_failed', p_error, jsonb_build_object('operation', p_operation));
  end if;
  return true;
end $$;
