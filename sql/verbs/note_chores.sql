-- Keeps how the chores of a node went since it last said so. p_runs is an array of objects: name, every_ms, ago_ms (since the last pass ended), duration_ms
-- and rows of that pass; runs, rows_total, failures since the last word; worked_ago_ms; and error where the last pass failed.
create or replace function holdfast.note_chores(p_node text, p_runs jsonb) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform holdfast.check_sight(p_all => true);
  insert into holdfast.chore_run as c (name, node, every_ms, last_run_at, duration_ms, rows, runs, rows_total, worked_at, failures, error, failed_at)
    select r.name, left(p_node, 300), r.every_ms, t - interval '1 ms' * r.ago_ms, r.duration_ms, r.rows, r.runs, r.rows_total,
      t - interval '1 ms' * r.worked_ago_ms, r.failures, left(r.error, 2000), case when r.error is not null then t - interval '1 ms' * r.ago_ms end
    from holdfast.now() t, jsonb_to_recordset(p_runs) r (name text, every_ms bigint, ago_ms bigint, duration_ms int, rows bigint, runs bigint,
      rows_total bigint, worked_ago_ms bigint, failures bigint, error text)
    -- in one order, so that two nodes that speak at once do not wait for each other
    order by r.name
    on conflict (name) do update set node = excluded.node, every_ms = excluded.every_ms, last_run_at = excluded.last_run_at,
      duration_ms = excluded.duration_ms, rows = excluded.rows, runs = c.runs + excluded.runs, rows_total = c.rows_total + excluded.rows_total,
      worked_at = coalesce(excluded.worked_at, c.worked_at), failures = c.failures + excluded.failures, error = excluded.error,
      failed_at = coalesce(excluded.failed_at, c.failed_at);
end $$;
