-- Jobs of a schedule that have not ended, as far as its latest firings tell.
create or replace function holdfast.live_firings(p_schedule bigint) returns bigint[]
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return array(
    select distinct f.job_id from (
      select x.job_id from holdfast.firing x where x.schedule_id = p_schedule and x.job_id is not null order by x.id desc limit 20) f
    where holdfast.state_of(f.job_id) not in ('succeeded', 'failed', 'canceled') order by f.job_id);
end $$;
