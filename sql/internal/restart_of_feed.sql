-- The event that says that a cursor could not be followed. It is made for its reader and kept nowhere; of no tenant, so every reader is shown it.
create or replace function holdfast.restart_of_feed(p_from text, p_to text) returns holdfast.event
language sql
set search_path = pg_catalog, pg_temp
as $$
  select row('0'::xid8, 0::bigint, holdfast.now(), null::text, null::int, 'feed_restarted', null::bigint, null::bigint[], 'system',
    'The cursor is of another server, or of a history this server has lost. The feed goes on from now; events before may be missing.',
    jsonb_build_object('from', nullif(p_from, ''), 'to', p_to), null::boolean)::holdfast.event
$$;
