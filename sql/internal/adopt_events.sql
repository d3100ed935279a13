-- After a dump was restored on another server: events carry transaction ids of the old one. Those ahead of this server's own counter would come to light
-- one by one as it reaches them, and where roll_up stood would mean nothing. So, once, restored events are put before everything that happened here, those
-- that were counted before those that were not, and roll_up goes on between the two. An event says that it was done: server_changed.
--
-- A row that was written here was written by the transaction it names, or by a part of it, which has a higher number, and later than the rows of the dump,
-- of which the one with the lowest id is one. Readers who do not see every tenant leave it to one who does.
create or replace function holdfast.adopt_events() returns void
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = on
set enable_sort = on
as $$
declare
  v_system text := holdfast.server_system();
  v_of text := (select c.cursor from holdfast.chore c where c.name = 'events');
  v_part text[];
  -- a bit ahead, so that what this transaction wrote is not taken for what is four billion transactions older
  v_ahead bigint := pg_snapshot_xmax(pg_current_snapshot())::text::bigint + 1000000;
  v_restored bigint;
  v_moved int := 0;
begin
  if v_of is null or v_of = v_system or current_setting('transaction_read_only')::boolean
      or current_setting('transaction_isolation') in ('repeatable read', 'serializable') or holdfast.my_tenants() <> '{*}' then
    return;
  end if;
  perform holdfast.take_turn('events');
  select c.cursor into v_of from holdfast.chore c where c.name = 'events';
  if v_of = v_system then
    return;
  end if;
  select v_ahead - ((v_ahead - e.xmin::text::bigint) & 4294967295) into v_restored from holdfast.event e order by e.id limit 1;
  -- Where the first row is of this very counter, the files came along, as with pg_upgrade: nothing to do.
  if exists (select from (select e.* from holdfast.event e order by e.id limit 1) e where e.xid::text::bigint <> v_restored) then
    select string_to_array(c.cursor, '|') into v_part from holdfast.chore c where c.name = 'roll_up';
    with restored as materialized (
      select e.xid, e.id, coalesce(pg_visible_in_snapshot(e.xid, v_part[1]::pg_snapshot)
        or pg_visible_in_snapshot(e.xid, v_part[2]::pg_snapshot) and (e.xid, e.id) <= (v_part[3]::xid8, v_part[4]::bigint), false) as counted
      from holdfast.event e
      where e.xid::text::bigint <= v_restored or v_ahead - ((v_ahead - e.xmin::text::bigint) & 4294967295) < e.xid::text::bigint)
    update holdfast.event e set xid = (v_restored - r.counted::int)::text::xid8
      from restored r where e.xid = r.xid and e.id = r.id and (not r.counted or e.xid::text::bigint >= v_restored);
    get diagnostics v_moved = row_count;
    update holdfast.chore c set cursor = format('%1$s:%1$s:', v_restored) where c.name = 'roll_up';
  end if;
  update holdfast.chore c set cursor = v_system, last_run_at = holdfast.now() where c.name = 'events';
  insert into holdfast.event (at, type, actor, reason, data) values (holdfast.now(), 'server_changed', 'system',
    'This database was brought here from another server. Cursors of the feed from there start over from now.',
    jsonb_build_object('from', v_of, 'to', v_system, 'events_moved', v_moved));
end $$;
