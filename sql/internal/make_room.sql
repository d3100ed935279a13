-- Sees to it that jobs with ids up to p_last can be written. A call that is its own transaction (p_settle) also keeps ranges
-- made ahead, unless somebody else is at it just now. In a caller's transaction that waits until there is no room at all, because
-- nobody else could make any before the caller commits.
create or replace function holdfast.make_room(p_last bigint, p_settle boolean) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_end bigint;
  v_ahead int;
begin
  if not p_settle then
    -- Ranges made by others since this transaction first used `job` are unknown to its session until it next takes a new lock on
    -- some table; an insert would find "no partition". Asking for a size takes one, and gives it back.
    perform pg_relation_size('holdfast.code'::regclass, 'vm');
  end if;
  select max(p.hi), count(*) filter (where p.lo > p_last) into v_end, v_ahead
    from (select p.lo, p.hi from holdfast.partition p order by p.lo desc limit 4) p;
  if v_end is null or v_end <= p_last
    or p_settle and v_ahead < 3 and holdfast.take_turn('partitions', false) then
    perform holdfast.make_partitions();
  end if;
end $$;
