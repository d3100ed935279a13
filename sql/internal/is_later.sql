-- Whether everything visible in p_earlier is visible in p_later. Of two snapshots of one server's history the later one always is; where it is not, a
-- transaction id was given out twice.
create or replace function holdfast.is_later(p_later pg_snapshot, p_earlier pg_snapshot) returns boolean
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select pg_snapshot_xmax(p_later) >= pg_snapshot_xmax(p_earlier)
    and not exists (select from pg_snapshot_xip(p_later) o (xid) where pg_visible_in_snapshot(o.xid, p_earlier))
$$;
