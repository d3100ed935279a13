-- Makes due jobs claimable: at most p_limit of them, the longest due first. Any number of nodes may call it at once.
create or replace function holdfast.promote(p_limit int default 1000) returns int
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_moved int;
begin
  perform holdfast.check_sight(p_all => false);
  v_moved := holdfast.promote_due(p_limit);
  if exists (select from holdfast.held h where h.state = 'waiting' and h.lane is null) then
    perform holdfast.settle_targets();
  end if;
  return v_moved;
end $$;
