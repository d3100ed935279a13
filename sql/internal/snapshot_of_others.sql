-- What others have committed. Postgres leaves our own transaction out of our snapshot's list of open ones, so a cursor made of it would take what this
-- transaction writes for seen; here it counts as open, and its events come after its commit.
create or replace function holdfast.snapshot_of_others() returns pg_snapshot
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now pg_snapshot := pg_current_snapshot();
  v_own xid8 := pg_current_xact_id_if_assigned();
begin
  if v_own is null or not pg_visible_in_snapshot(v_own, v_now) then
    return v_now;
  end if;
  return (select concat_ws(':', least(pg_snapshot_xmin(v_now), v_own), pg_snapshot_xmax(v_now), string_agg(o.xid::text, ',' order by o.xid))
    from (select v_own union all select pg_snapshot_xip(v_now)) o (xid))::pg_snapshot;
end $$;
