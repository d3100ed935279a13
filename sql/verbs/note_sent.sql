-- What became of rows taken by take_outbox: whether they were sent, and that row p_ids[i] is to be looked at again after p_again_ms[i],
-- or never if that is null.
create or replace function holdfast.note_sent(p_ids bigint[], p_again_ms bigint[], p_sent boolean default true) returns int
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_now timestamptz := holdfast.now();
  v_noted int;
begin
  -- Locked in one order, as everywhere in the outbox.
  with mine as materialized (
    select o.id, s.again_ms from (select * from unnest(p_ids, p_again_ms) u (id, again_ms) order by u.id) s
    join holdfast.outbox o on o.id = any (array[s.id]) for update of o),
  gone as (
    delete from holdfast.outbox o using mine m where o.id = any (array[m.id]) and m.again_ms is null),
  again as (
    update holdfast.outbox o set due_at = v_now + interval '1 ms' * m.again_ms, sends = o.sends + p_sent::int
    from mine m where o.id = any (array[m.id]) and m.again_ms is not null)
  select count(*) into v_noted from mine;
  return v_noted;
end $$;
