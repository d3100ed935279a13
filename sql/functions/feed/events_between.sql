-- Events that are visible in p_to and were not in p_from, in order, after (p_xid, p_id), at most p_limit: the
-- feed and count_minutes read them page by page.
--
-- What was not visible then is what was still open then, looked up transaction by transaction, and what began
-- since. Filtering everything after the oldest open one would read the same events again and again for as
-- long as that one stays open.
create or replace function holdfast.events_between(p_from pg_snapshot, p_to pg_snapshot, p_xid xid8,
  p_id bigint, p_limit int) returns setof holdfast.event
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_since xid8 := greatest(p_xid, pg_snapshot_xmax(p_from));
  v_since_id bigint := case when v_since = p_xid then p_id else 0 end;
begin
  return query
    select u.* from (
      select e.* from pg_snapshot_xip(p_from) o (xid) cross join lateral (
        select e.* from holdfast.event e where e.xid = o.xid and e.id > case when o.xid = p_xid then p_id
          else 0 end
        order by e.xid, e.id limit p_limit) e
      where o.xid >= p_xid and pg_visible_in_snapshot(o.xid, p_to)
      union all (
        select e.* from holdfast.event e
        where (e.xid, e.id) > (v_since, v_since_id) and e.xid < pg_snapshot_xmax(p_to)
          and pg_visible_in_snapshot(e.xid, p_to)
        order by e.xid, e.id limit p_limit)) u
    order by u.xid, u.id limit p_limit;
end $$;

-- What others have committed. Postgres leaves our own transaction out of our snapshot's list of open ones, so
-- a cursor made of it would take what this transaction writes for seen; here it counts as open, and its
-- events come after its commit.
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
  return (select concat_ws(':', least(pg_snapshot_xmin(v_now), v_own), pg_snapshot_xmax(v_now),
    string_agg(o.xid::text, ',' order by o.xid))
    from (select v_own union all select pg_snapshot_xip(v_now)) o (xid))::pg_snapshot;
end $$;

-- After a dump was restored on another server: events carry transaction ids of the old one. Those ahead of
-- this server's own counter would appear one by one as it reaches them, and the position of count_minutes
-- would mean nothing. So, once, restored events are moved before everything that happened here, those that
-- were counted before those that were not, and count_minutes continues between the two. The event
-- server_changed records it.
--
-- A row that was written here was written by the transaction it names, or by a subtransaction of it, which
-- has a higher number, and later than the rows of the dump, of which the one with the lowest id is one.
-- Readers who do not see every tenant leave it to one who does.
create or replace function holdfast.adopt_events() returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_system text := holdfast.server_system();
  v_known text := (select c.cursor from holdfast.chore c where c.name = 'events');
  v_part text[];
  -- a bit ahead, so that what this transaction wrote is not taken for something four billion transactions
  -- older
  v_ahead bigint := pg_snapshot_xmax(pg_current_snapshot())::text::bigint + 1000000;
  v_restored bigint;
  v_moved int := 0;
begin
  if v_known is null or v_known = v_system or current_setting('transaction_read_only')::boolean
      or current_setting('transaction_isolation') in ('repeatable read', 'serializable')
        or holdfast.visible_tenants() <> '{*}' then
    return;
  end if;
  perform holdfast.take_turn('events');
  select c.cursor into v_known from holdfast.chore c where c.name = 'events';
  if v_known = v_system then
    return;
  end if;
  select v_ahead - ((v_ahead - e.xmin::text::bigint) & 4294967295) into v_restored from holdfast.event e
    order by e.id limit 1;
  -- If the first row is of this very counter, the data files were copied, as by pg_upgrade: nothing to do.
  if exists (select from (select e.* from holdfast.event e order by e.id limit 1) e
    where e.xid::text::bigint <> v_restored) then
    select string_to_array(c.cursor, '|') into v_part from holdfast.chore c where c.name = 'roll_up';
    with restored as materialized (
      select e.xid, e.id, coalesce(pg_visible_in_snapshot(e.xid, v_part[1]::pg_snapshot)
        or pg_visible_in_snapshot(e.xid, v_part[2]::pg_snapshot) and (e.xid, e.id) <= (v_part[3]::xid8,
          v_part[4]::bigint), false) as counted
      from holdfast.event e
      where e.xid::text::bigint <= v_restored
        or v_ahead - ((v_ahead - e.xmin::text::bigint) & 4294967295) < e.xid::text::bigint)
    update holdfast.event e set xid = (v_restored - r.counted::int)::text::xid8
      from restored r where e.xid = r.xid and e.id = r.id
        and (not r.counted or e.xid::text::bigint >= v_restored);
    get diagnostics v_moved = row_count;
    update holdfast.chore c set cursor = format('%1$s:%1$s:', v_restored) where c.name = 'roll_up';
  end if;
  update holdfast.chore c set cursor = v_system, last_run_at = holdfast.now() where c.name = 'events';
  insert into holdfast.event (at, type, actor, reason, data) values (holdfast.now(), 'server_changed',
    'system',
    'This database was brought here from another server. Cursors of the feed from there start over from now.',
    jsonb_build_object('from', v_known, 'to', v_system, 'events_moved', v_moved));
end $$;
