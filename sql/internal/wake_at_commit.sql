-- Wakes workers when a transaction that made jobs commits: the last thing it does, so that a transaction which is open for long or rolled back
-- wakes nobody too early.
--
-- Commits that notify go one at a time through the whole server, so of those that bring work to one queue within ten milliseconds one
-- notifies. The others are not visible yet when their worker asks, perhaps; the `+` behind the queue's id tells listeners to let it ask
-- again shortly after.
create or replace function holdfast.wake_at_commit() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_ms bigint := extract(epoch from clock_timestamp()) * 1000;
  v_last bigint;
begin
  if new.queue_id is not null then
    select s.last_value into v_last from holdfast.wake_seq s;
    -- a clock that was set back must not silence anybody
    if v_last % 1048576 = new.queue_id % 1048576 and v_ms - v_last / 1048576 between 0 and 9 then
      return null;
    end if;
    perform setval('holdfast.wake_seq'::regclass, v_ms * 1048576 + new.queue_id % 1048576);
  end if;
  perform pg_notify(split_part('holdfast.queue'::regclass::text, '.', 1) || '_wake', coalesce(new.queue_id::text, '') || '+');
  return null;
end $$;

do $$ begin
  if not exists (select from pg_catalog.pg_trigger t where t.tgrelid = 'holdfast.event'::regclass and t.tgname = 'wake_at_commit') then
    create constraint trigger wake_at_commit after insert on holdfast.event deferrable initially deferred
      for each row when (new.wake) execute function holdfast.wake_at_commit();
  end if;
end $$;
