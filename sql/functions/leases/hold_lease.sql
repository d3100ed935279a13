-- Keeps a worker's lease from being swept until this transaction commits, or refuses if it has ended already.
--
-- It also refuses a lease under which this server may have lost a claim. A failover to a replica that lagged,
-- a restore, and a crash without durable commits keep the lease and lose the claim; under the same lease the
-- job would be handed out again with the same attempt, and two handlers would hold one valid fence. So a
-- lease serves for claims only on the start of the server that it was opened on, and only if it was opened
-- after p_since, where the caller's connection broke. What it holds stays held and is renewed as before.
-- Transaction ids decide what came first, because a lease that survived a failover has an id below all that
-- the new server assigns, whatever its clock shows.
create or replace function holdfast.hold_lease(p_lease bigint, p_since xid8) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_serves boolean;
begin
  select l.server_started = pg_postmaster_start_time() and (p_since is null or l.opened_xid >= p_since)
    into v_serves
    from holdfast.lease l where l.id = p_lease and l.expires_at > holdfast.now()
      and l.ended_at is null for key share;
  if not found then
    perform holdfast.refuse('lease_gone', 'The lease of this worker has expired or was closed.',
      jsonb_build_object('lease', p_lease));
  end if;
  if v_serves is not true then
    perform holdfast.refuse('lease_stale',
      'The lease of this worker is older than its connection to this server.',
      jsonb_build_object('lease', p_lease));
  end if;
end $$;
