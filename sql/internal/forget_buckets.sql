-- Lets go of buckets that are full again and have nothing promised: one that is not there is full.
create or replace function holdfast.forget_buckets(p_limit int) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_gone int;
begin
  delete from holdfast.rate r using
      (select b.queue_id, b.key from holdfast.rate b join holdfast.queue p on p.id = b.queue_id
       where coalesce(b.booked_until <= v_now, true)
         and coalesce(holdfast.tokens_at(p, b.tokens, b.filled_at, v_now) >= coalesce(p.rate_burst, p.rate_limit), true)
       limit p_limit for update of b skip locked) o
    where r.queue_id = o.queue_id and r.key = o.key;
  get diagnostics v_gone = row_count;
  return v_gone;
end $$;
