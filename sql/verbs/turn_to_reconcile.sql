-- Whose turn it is to compare the dead letters of a trigger with its jobs: 0 is the caller's, who has it for p_next_ms; otherwise in how many
-- milliseconds to ask again. With p_mine the caller has it already, or takes it whoever has it, and p_next_ms is when the next one may begin.
create or replace function holdfast.turn_to_reconcile(p_tenant text, p_trigger text, p_next_ms bigint, p_mine boolean default false) returns bigint
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
begin
  perform holdfast.check_tenant(p_tenant);
  insert into holdfast.reconcile_turn as t (tenant, trigger, next_at)
    -- where no queue has the trigger there is nothing to compare, and nothing to keep
    select p_tenant, p_trigger, v_now + interval '1 ms' * p_next_ms
    where exists (select from holdfast.queue q where q.tenant = p_tenant and q.external_trigger = p_trigger)
    on conflict (tenant, trigger) do update set next_at = excluded.next_at where p_mine or t.next_at <= v_now;
  if found then
    return 0;
  end if;
  return coalesce((select greatest(1, ceil(extract(epoch from t.next_at - v_now) * 1000))
    from holdfast.reconcile_turn t where t.tenant = p_tenant and t.trigger = p_trigger), p_next_ms);
end $$;
