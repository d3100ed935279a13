-- Keeps what these jobs, which have succeeded, were about: when that was, and with which job it is asked for again.
create or replace function holdfast.keep_subjects(p_jobs bigint[], p_now timestamptz) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  insert into holdfast.subject as s (queue_id, name, kind, input, priority, last_success_at, last_job_id, enabled, added_at)
    select distinct on (j.queue_id, j.subject collate "C") j.queue_id, j.subject, j.kind, j.input, j.priority_asked, a.finished_at, j.id, true, p_now
    from unnest(p_jobs) t (id) join holdfast.job j on j.id = any (array[t.id])
    join holdfast.attempt a on a.job_id = any (array[t.id]) and a.moved_to = 'succeeded'
    where j.subject is not null order by j.queue_id, j.subject collate "C", a.finished_at desc
    on conflict (queue_id, name) do update set kind = excluded.kind, input = excluded.input, priority = excluded.priority,
      last_success_at = excluded.last_success_at, last_job_id = excluded.last_job_id, asked_at = null
      where s.last_success_at is null or s.last_success_at <= excluded.last_success_at;
end $$;
