-- Wakes workers that wait for jobs, by NOTIFY on the channel `<schema>_wake`.

-- Wakes claimers that wait for jobs of these queues; null wakes all. A lost notification changes nothing:
-- claimers also poll.
--
-- Call it after the commit that brought the jobs, in a transaction of its own: Postgres lets commits that
-- notify through one at a time. The payload is the queue ids, separated by commas; empty means every queue.
-- Any session may listen on the channel, so the payload has nothing but numbers.
create or replace function holdfast.wake(p_queues int[] default null) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  -- the table's full name begins with the schema's
  v_channel text := split_part('holdfast.queue'::regclass::text, '.', 1) || '_wake';
  v_queues int[] := p_queues;
begin
  if p_queues is not null then
    -- only queues that the caller may see
    v_queues := array(select q.id from holdfast.queue q where q.id = any (p_queues) order by q.id);
    if v_queues = '{}' then
      return;
    end if;
  end if;
  -- a notification has room for 8000 bytes
  perform pg_notify(v_channel, case when cardinality(v_queues) <= 500 then array_to_string(v_queues, ',')
    else '' end);
end $$;

-- Wakes workers when a transaction that enqueued jobs commits: a deferred trigger, so that a transaction that
-- stays open or rolls back wakes no worker too early.
--
-- Postgres lets commits that notify through one at a time, so of those that bring jobs to one queue within
-- ten milliseconds one notifies. The jobs of the others may not be visible yet when the worker claims; the
-- `+` behind the queue id makes listeners claim again shortly after.
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
    -- a clock that was set back must not suppress notifications
    if v_last % 1048576 = new.queue_id % 1048576 and v_ms - v_last / 1048576 between 0 and 9 then
      return null;
    end if;
    perform setval('holdfast.wake_seq'::regclass, v_ms * 1048576 + new.queue_id % 1048576);
  end if;
  perform pg_notify(split_part('holdfast.queue'::regclass::text, '.', 1) || '_wake',
    coalesce(new.queue_id::text, '') || '+');
  return null;
end $$;

do $$ begin
  if not exists (select from pg_catalog.pg_trigger t where t.tgrelid = 'holdfast.event'::regclass
    and t.tgname = 'wake_at_commit') then
    create constraint trigger wake_at_commit after insert on holdfast.event deferrable initially deferred
      for each row when (new.wake) execute function holdfast.wake_at_commit();
  end if;
end $$;
