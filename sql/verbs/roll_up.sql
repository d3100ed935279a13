-- Counts what happened since it was last called, from the feed into the minutes of each queue and the registry of subjects; at most p_limit events
-- (a batch of jobs is one event), and says how many. Exactly once, whoever calls it at the same time: one at a time, and the place in the feed moves in
-- the same transaction, so a crash takes back both or neither. The place is a snapshot, so what commits late is counted when it does, in the minute in
-- which it happened; what the calling transaction has written itself is counted after its commit.
-- A call that finds nothing writes nothing.
create or replace function holdfast.roll_up(p_limit int default 200) returns int
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_part text[];
  v_from pg_snapshot;
  v_to pg_snapshot;
  v_page holdfast.event[];
  v_last holdfast.event;
begin
  perform holdfast.check_sight(p_all => true);
  perform holdfast.adopt_events();
  -- The turn is a write, so it is taken only where there is something to count.
  select string_to_array(c.cursor, '|') into v_part from holdfast.chore c where c.name = 'roll_up';
  v_from := coalesce(v_part[1], '1:1:')::pg_snapshot;
  if v_part[2] is null and not exists (select from holdfast.events_between(v_from, holdfast.snapshot_of_others(), pg_snapshot_xmin(v_from), 0, 1))
    or not holdfast.take_turn('roll_up', false) then
    return 0;
  end if;
  -- In statements after the lock, so that they see what the one before us has written.
  select string_to_array(c.cursor, '|') into v_part from holdfast.chore c where c.name = 'roll_up';
  v_from := coalesce(v_part[1], '1:1:')::pg_snapshot;
  v_to := coalesce(v_part[2]::pg_snapshot, holdfast.snapshot_of_others());
  v_page := array(select e from holdfast.events_between(v_from, v_to, coalesce(v_part[3]::xid8, pg_snapshot_xmin(v_from)), coalesce(v_part[4]::bigint, 0), p_limit) e);
  if v_page = '{}' and v_part[2] is null then
    return 0;
  end if;
  perform holdfast.count_events(v_page, v_now);
  v_last := v_page[cardinality(v_page)];
  insert into holdfast.chore (name, last_run_at, cursor)
    values ('roll_up', v_now, case when cardinality(v_page) = p_limit then v_from || '|' || v_to || '|' || v_last.xid || '|' || v_last.id else v_to::text end)
    on conflict (name) do update set last_run_at = excluded.last_run_at, cursor = excluded.cursor;
  return cardinality(v_page);
end $$;
