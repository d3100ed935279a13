-- The registry of subjects: things that need a job again whenever the last success is too old.

-- Registers a subject, or changes the job that is enqueued for it. Only in a queue that keeps one job per
-- subject: only there is it known when the subject last succeeded. Returns its id.
create or replace function holdfast.add_subject(
  p_queue int, p_name text, p_kind text, p_input jsonb default 'null', p_priority int default 0,
  p_stale_after_ms bigint default null, p_actor text default null, p_reason text default null
) returns bigint
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_queue holdfast.queue;
  v_id bigint;
begin
  select q.* into v_queue from holdfast.queue q where q.id = p_queue;
  if not found then
    perform holdfast.refuse('unknown_queue', 'There is no such queue.');
  elsif v_queue.dedup_by <> 'subject' then
    perform holdfast.refuse('invalid_input',
      format('The queue %s does not keep one job per subject; set dedup_by to subject in its policy first.',
      v_queue.name), '{"path": "/queue"}');
  end if;
  insert into holdfast.subject as s (queue_id, name, kind, input, priority, stale_after_ms, enabled,
    added_at, added_by)
    values (p_queue, p_name, p_kind, coalesce(p_input, 'null'), p_priority, p_stale_after_ms, true,
      v_now, p_actor)
    on conflict (queue_id, name) do update set kind = excluded.kind, input = excluded.input,
      priority = excluded.priority, stale_after_ms = excluded.stale_after_ms, enabled = true
    returning s.id into v_id;
  perform holdfast.add_event('subject_added', null, p_queue, p_actor, p_reason,
    jsonb_build_object('subject', p_name));
  return v_id;
end $$;

-- Changes a registered subject: stale_after_ms (null: the setting STALE_DAYS applies) and enabled. Omitted
-- ones are unchanged.
create or replace function holdfast.set_subject(p_subject bigint, p_changes jsonb, p_actor text default null,
  p_reason text default null) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_subject holdfast.subject;
begin
  update holdfast.subject s set
      stale_after_ms = case when p_changes ? 'stale_after_ms' then (p_changes ->> 'stale_after_ms')::bigint
        else s.stale_after_ms end,
      enabled = coalesce((p_changes ->> 'enabled')::boolean, s.enabled)
    where s.id = p_subject returning s.* into v_subject;
  if not found then
    perform holdfast.refuse('unknown_subject', format('There is no subject %s.', p_subject),
      jsonb_build_object('subject', p_subject));
  end if;
  perform holdfast.add_event('subject_set', null, v_subject.queue_id, p_actor, p_reason, p_changes
    || jsonb_build_object('subject', v_subject.name));
end $$;

-- Removes a subject from the registry; its jobs stay. Its next success registers it again: to keep it from
-- being enqueued, disable it.
create or replace function holdfast.remove_subject(p_subject bigint, p_actor text default null,
  p_reason text default null) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_subject holdfast.subject;
begin
  delete from holdfast.subject s where s.id = p_subject returning s.* into v_subject;
  if not found then
    perform holdfast.refuse('unknown_subject', format('There is no subject %s.', p_subject),
      jsonb_build_object('subject', p_subject));
  end if;
  perform holdfast.add_event('subject_removed', null, v_subject.queue_id, p_actor, p_reason,
    jsonb_build_object('subject', v_subject.name));
end $$;
