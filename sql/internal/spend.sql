-- Takes what was started out of a queue's bucket; the queue's row is still locked by room_in, whose time this is.
create or replace function holdfast.spend(p_queue int, p_started int, p_at timestamptz) returns void
language sql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $$
  insert into holdfast.rate as r (queue_id, key, tokens, filled_at)
  select q.id, '', holdfast.tokens_at(q, b.tokens, b.filled_at, p_at) - p_started, p_at
  from holdfast.queue q left join holdfast.rate b on b.queue_id = q.id and b.key = ''
  where q.id = p_queue and q.rate_limit is not null and not q.rate_per_key and p_started > 0
  on conflict (queue_id, key) do update set tokens = excluded.tokens, filled_at = excluded.filled_at
$$;
