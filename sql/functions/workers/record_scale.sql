-- Records that a group of workers has changed its size: by which worker, from, to, why, and how many jobs it
-- saw waiting. So that an operator can find out later why there were so many workers, or so few.
create or replace function holdfast.record_scale(
  p_tenant text, p_group text, p_worker text, p_from int, p_to int, p_reason text, p_depth int default null
) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform holdfast.check_tenant(p_tenant);
  perform holdfast.add_tenant_event('workers_scaled', p_tenant, p_worker, p_reason,
    jsonb_build_object('group', p_group, 'from', p_from, 'to', p_to, 'depth', p_depth));
end $$;
