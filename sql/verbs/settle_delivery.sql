-- How a delivery went. Arrived is arrived, whoever says it; that it failed counts only from whoever has it now. p_retry_ms is when to try again;
-- null gives it up. p_arrived null: the caller broke the call off before there was an answer. Nobody knows then whether it arrived, so it is due
-- again at once, as if this attempt had not been made. False: it was not for the caller to say.
create or replace function holdfast.settle_delivery(
  p_delivery bigint, p_attempt int, p_arrived boolean, p_status int default null, p_error text default null, p_retry_ms bigint default null
) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
begin
  if p_arrived is null then
    update holdfast.webhook_delivery d set attempts = d.attempts - 1, next_at = v_now
      where d.id = p_delivery and d.state = 'waiting' and d.attempts = p_attempt;
    return found;
  end if;
  update holdfast.webhook_delivery d set status = p_status, error = case when p_arrived then null else left(p_error, 500) end,
      state = case when p_arrived then 'delivered' when p_retry_ms is null then 'failed' else 'waiting' end,
      ended_at = case when p_arrived or p_retry_ms is null then v_now end,
      next_at = case when p_arrived or p_retry_ms is null then d.next_at else v_now + interval '1 ms' * p_retry_ms end
    where d.id = p_delivery and d.state = 'waiting' and (p_arrived or d.attempts = p_attempt);
  return found;
end $$;
