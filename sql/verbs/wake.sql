-- Wakes claimers that wait for work in these queues; null wakes all. Losing one changes nothing: claimers also ask by themselves.
--
-- Call it after the commit that brought the work, in a transaction of its own: commits that notify go one at a time through the
-- whole server. The payload is the ids, separated by commas; empty means every queue. Whoever listens on `<schema>_wake` hears it, so
-- it tells nothing but numbers.
create or replace function holdfast.wake(p_queues int[] default null) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $$
declare
  -- the table's full name begins with the schema's
  v_channel text := split_part('holdfast.queue'::regclass::text, '.', 1) || '_wake';
  v_queues int[] := p_queues;
begin
  if p_queues is not null then
    -- only of those the caller may see
    v_queues := array(select q.id from holdfast.queue q where q.id = any (p_queues) order by q.id);
    if v_queues = '{}' then
      return;
    end if;
  end if;
  -- a notification has room for 8000 bytes
  perform pg_notify(v_channel, case when cardinality(v_queues) <= 500 then array_to_string(v_queues, ',') else '' end);
end $$;
