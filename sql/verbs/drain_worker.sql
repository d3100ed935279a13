-- Asks a worker to take no more jobs, finish what it has and end. It hears of it with its next sign of life. False: it was asked already.
-- With p_tenant only the one that works for that tenant: another tenant's may have the same name.
create or replace function holdfast.drain_worker(p_worker text, p_actor text default null, p_reason text default null, p_tenant text default null) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  with asked as (
    update holdfast.presence p set drain_asked_at = holdfast.now(), drain_asked_by = p_actor, drain_reason = p_reason
    from holdfast.worker w where w.name = p_worker and p.worker_id = w.id and p.drain_asked_at is null and p.tenant = coalesce(p_tenant, p.tenant)
    returning p.tenant)
  insert into holdfast.event (at, tenant, type, actor, reason, data)
    select holdfast.now(), a.tenant, 'worker_drain_asked', p_actor, p_reason, jsonb_build_object('worker', p_worker) from asked a;
  if found then
    return true;
  end if;
  perform holdfast.refuse('unknown_worker', format('There is no worker %s.', p_worker), jsonb_build_object('worker', p_worker))
    where not exists (select from holdfast.presence p join holdfast.worker w on w.id = p.worker_id where w.name = p_worker and p.tenant = coalesce(p_tenant, p.tenant));
  return false;
end $$;
