-- The state of a job; null when there is no such job. One statement, so one snapshot: a job that moves
-- meanwhile is never missed. `ready` is searched at every level, since it has no index on job_id alone (see
-- sql/migrations/0001_baseline.sql). plpgsql keeps its plan; before Postgres 18 a SQL function is planned at
-- every call, which opens every range of history.
create or replace function holdfast.state_of(p_job bigint) returns holdfast.state
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select coalesce(
      (select a.moved_to from holdfast.attempt a where a.job_id = j.id and a.final),
      (select case when r.started_at is null then 'assigned' else 'running' end::holdfast.state
         from holdfast.running r where r.job_id = j.id),
      (select d.state::text::holdfast.state from holdfast.delayed d where d.job_id = j.id),
      (select h.state::text::holdfast.state from holdfast.held h where h.job_id = j.id),
      (select 'queued'::holdfast.state from holdfast.ready r
        where r.queue_id = j.queue_id and r.level = any (holdfast.all_levels()) and r.job_id = j.id))
    from holdfast.job j where j.id = p_job);
end $$;
