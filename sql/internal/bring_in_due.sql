-- Makes claimable what has fallen due: delayed jobs, jobs of expired leases, arrivals at targets. Each is asked for by one
-- cheap look first, so an idle poll writes nothing; by one look for all of them, because nearly always there is none. Says whether
-- anything moved.
create or replace function holdfast.bring_in_due(p_limit int) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_now timestamptz := holdfast.now();
  v_moved int := 0;
begin
  if not (exists (select from holdfast.delayed d where d.due_at <= v_now)
    or exists (select from holdfast.held h where h.state = 'waiting' and h.lane is null) or exists (select from holdfast.lane_todo)
    or exists (select from holdfast.lease l where l.expires_at <= v_now or l.ended_at is not null)) then
    return false;
  end if;
  if exists (select from holdfast.delayed d where d.due_at <= v_now) then
    v_moved := v_moved + holdfast.promote_due(p_limit);
  end if;
  -- Before reclaim, which may take lanes: arrivals may have to wait for one, and whoever waits for lanes must not hold any.
  if exists (select from holdfast.held h where h.state = 'waiting' and h.lane is null)
    or exists (select from holdfast.lane_todo) then
    v_moved := v_moved + holdfast.settle_targets(p_limit);
  end if;
  if exists (select from holdfast.lease l where l.expires_at <= v_now or l.ended_at is not null) then
    v_moved := v_moved + holdfast.reclaim(p_limit, p_orphans => false);
  end if;
  return v_moved > 0;
end $$;
