-- Keeps a worker's lease from being swept until this transaction commits, or refuses when it is gone already.
create or replace function holdfast.hold_lease(p_lease bigint) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
as $$
begin
  perform from holdfast.lease l where l.id = p_lease and l.expires_at > holdfast.now() and l.ended_at is null for key share;
  if not found then
    perform holdfast.refuse('lease_gone', 'The lease of this worker has expired or was closed.', jsonb_build_object('lease', p_lease));
  end if;
end $$;
