-- What an external trigger has not been told yet and what it was told of jobs that have not been seen since, each counted up to p_most, and
-- since when the oldest of the first kind waits. Rows that are being sent count as not told.
create or replace function holdfast.outbox_depth(p_tenant text, p_trigger text, p_most int default 10000,
  out unsent int, out sent int, out oldest_at timestamptz)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $$
begin
  select count(*) filter (where x.sends = 0), count(*) filter (where x.sends > 0), min(x.created_at) filter (where x.sends = 0)
    into unsent, sent, oldest_at
    from holdfast.queue q cross join lateral (
      select o.sends, o.created_at from holdfast.outbox o where o.queue_id = q.id order by o.due_at, o.id limit p_most) x
    where q.tenant = p_tenant and q.external_trigger = p_trigger;
end $$;
