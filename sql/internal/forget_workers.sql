-- Lets go of workers nobody has heard of for a day: they ended without saying good-bye.
create or replace function holdfast.forget_workers(p_limit int) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_before timestamptz := holdfast.now() - interval '1 day';
  v_gone int;
begin
  delete from holdfast.presence p using (
      select x.worker_id, x.tenant from holdfast.presence x where x.heard_at < v_before limit p_limit for update skip locked) o
    where p.worker_id = o.worker_id and p.tenant = o.tenant;
  get diagnostics v_gone = row_count;
  -- After a crash of the server nobody is shown until it beats again, so a request outlives its worker by a day as well.
  delete from holdfast.drain_request d where d.asked_at < v_before
    and not exists (select from holdfast.presence p where p.worker_id = d.worker_id and p.tenant = d.tenant);
  return v_gone;
end $$;
