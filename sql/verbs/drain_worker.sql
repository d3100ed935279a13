-- Asks a worker to take no more jobs, finish what it has and end. It learns of it with its next beat. The request is kept until the worker
-- leaves, also over a crash of the server. False: it was asked already.
-- With p_tenant only the one that works for that tenant: another tenant's may have the same name.
create or replace function holdfast.drain_worker(
  p_worker text, p_actor text default null, p_reason text default null, p_tenant text default null
) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  with asked as (
    insert into holdfast.drain_request as d (worker_id, tenant, host, pid, asked_at, asked_by, reason)
    select p.worker_id, p.tenant, p.host, p.pid, holdfast.now(), p_actor, p_reason
    from holdfast.presence p join holdfast.worker w on w.id = p.worker_id where w.name = p_worker and p.tenant = coalesce(p_tenant, p.tenant)
    -- What was asked of an earlier process under the same name is not asked of this one.
    on conflict (worker_id, tenant) do update set host = excluded.host, pid = excluded.pid, asked_at = excluded.asked_at,
      asked_by = excluded.asked_by, reason = excluded.reason
      where (d.host, d.pid) is distinct from (excluded.host, excluded.pid)
    returning d.tenant)
  insert into holdfast.event (at, tenant, type, actor, reason, data)
    select holdfast.now(), a.tenant, 'worker_drain_asked', p_actor, p_reason, jsonb_build_object('worker', p_worker) from asked a;
  if found then
    return true;
  end if;
  perform holdfast.refuse('unknown_worker', format('There is no worker %s.', p_worker), jsonb_build_object('worker', p_worker))
    where not exists (select from holdfast.presence p join holdfast.worker w on w.id = p.worker_id where w.name = p_worker and p.tenant = coalesce(p_tenant, p.tenant));
  return false;
end $$;
