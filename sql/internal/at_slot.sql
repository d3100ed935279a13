-- Takes a schedule to fire this slot, or says why not: gone · stale (somebody else was here, or its definition has changed) · paused · early.
-- The lock is taken first and everything else is read after it, so a pause or a change that has committed is always seen.
create or replace function holdfast.at_slot(p_schedule bigint, p_revision int, p_slot timestamptz, p_next timestamptz,
  out schedule holdfast.schedule, out problem text)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if p_next <= p_slot then
    perform holdfast.refuse('invalid_input', 'The next slot must come after this one.', '{"path": "/next"}');
  end if;
  select * into schedule from holdfast.schedule s where s.id = p_schedule for update;
  problem := case
    when not found then 'gone'
    when schedule.revision <> p_revision or schedule.next_slot <> p_slot then 'stale'
    when not schedule.enabled or schedule.paused_at is not null or holdfast.is_quiet(schedule.tenant) then 'paused'
    when schedule.next_run_at > holdfast.now() then 'early'
  end;
end $$;
