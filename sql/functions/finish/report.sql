-- Saves the progress of a running job: items found, a cursor, counters, tokens. One fenced transaction, so
-- after kill -9 the next attempt resumes from exactly what was counted.
--
-- Items are stored once per collection, by the field the queue names (items_key), else by their content; a
-- field too long for an index, and the content, count by their hash. Duplicates are counted and ignored. A
-- report sent again because its reply was lost changes nothing: it is recognised by its lease, its attempt
-- and p_seq, which rises with every report of an attempt (the next is sent after this one was answered);
-- without p_seq two equal reports in a row count as one. The lease of a single job is extended, never
-- shortened: by p_extend_ms, else by its own length where reports renew it. The job ends when it reaches its
-- item_goal (that reason wins) or when p_done is true. p_cleaned names what the sender had to change to make
-- it storable; it is stored with the attempt that this report ends.
create or replace function holdfast.report(
  p_job bigint, p_attempt int, p_lease bigint, p_items jsonb default '[]', p_cursor jsonb default null,
    p_progress jsonb default null, p_tokens bigint default 0, p_extend_ms int default null,
    p_done boolean default false, p_done_reason text default null, p_result jsonb default null,
    p_cleaned text[] default null, p_seq int default null,
  out accepted boolean, out done boolean, out done_reason text, out new_items int, out duplicate_items int,
    out progress_count bigint,
  out result_count bigint, out tokens_used bigint, out token_limit bigint, out cancel_requested boolean,
    out expires_at timestamptz)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_now timestamptz := holdfast.now();
  v_repeated boolean;
  -- An attempt number alone may be used twice: after a failover that has lost the first of them.
  v_fence text := p_lease || '/' || p_attempt;
  -- Without p_seq, a missing part must leave a gap: a cursor alone and a progress alone are two reports.
  v_report_id text := coalesce(v_fence || '#' || p_seq,
    md5(concat_ws('|', v_fence, p_items::text, coalesce(p_cursor::text, ''),
    coalesce(p_progress::text, ''), p_tokens, p_done, p_done_reason)));
  v_job holdfast.job;
  v_queue holdfast.queue;
begin
  select j.* into v_job from holdfast.job j where j.id = p_job;
  select q.* into v_queue from holdfast.queue q where q.id = v_job.queue_id;
  token_limit := v_job.token_limit;
  done := false;
  new_items := 0;
  duplicate_items := 0;

  select r.cancel_requested into cancel_requested from holdfast.running r
    where r.job_id = p_job and r.attempt = p_attempt and r.lease = p_lease for update;
  accepted := found;
  if not accepted then
    -- The report that ended the job, sent again because its reply was lost, is not a stale write.
    select true, true, a.reason into accepted, done, done_reason from holdfast.attempt a
      join holdfast.progress p on p.job_id = a.job_id and p.last_report = v_report_id
      where a.job_id = p_job and a.attempt = p_attempt and a.lease = p_lease and a.outcome = 'succeeded';
    accepted := coalesce(accepted, false);
    cancel_requested := false;
    select p.progress_count, p.result_count, p.tokens_used into progress_count, result_count, tokens_used
      from holdfast.progress p where p.job_id = p_job and accepted;
    return;
  end if;

  select p.last_report = v_report_id or coalesce(p.last_report like v_fence || '#%'
    and split_part(p.last_report, '#', 2)::int > p_seq, false)
    into v_repeated from holdfast.progress p where p.job_id = p_job;
  if v_repeated is not true then
    insert into holdfast.item (job_id, created_at, queue_id, attempt, collection, key, data)
      select p_job, v_now, v_queue.id, p_attempt, coalesce(v_job.collection, v_queue.name), i.key, i.data
      from (select case when octet_length(k.key) <= 1024 then k.key else md5(k.key) end as key, k.data
            from (select coalesce(e.data ->> v_queue.items_key, md5(e.data::text)) as key, e.data
              from jsonb_array_elements(p_items) e (data)) k) i
      order by i.key collate "C"
      on conflict (queue_id, collection, key) do nothing;
    get diagnostics new_items = row_count;
    duplicate_items := jsonb_array_length(p_items) - new_items;
    insert into holdfast.progress as p (job_id, progress_count, result_count, tokens_used, last_progress_at,
      cursor, progress, last_report)
      values (p_job, jsonb_array_length(p_items), new_items, p_tokens, v_now, p_cursor, p_progress,
        v_report_id)
      on conflict (job_id) do update set progress_count = p.progress_count + excluded.progress_count,
        result_count = p.result_count + excluded.result_count, tokens_used = p.tokens_used
          + excluded.tokens_used, last_progress_at = v_now,
        cursor = coalesce(excluded.cursor, p.cursor), progress = coalesce(excluded.progress, p.progress),
          last_report = v_report_id;
  end if;
  select p.progress_count, p.result_count, p.tokens_used into progress_count, result_count, tokens_used
    from holdfast.progress p where p.job_id = p_job;

  -- A worker's lease is renewed by its heartbeats alone: the transaction of one report must never block them.
  update holdfast.lease l set heartbeat_at = v_now, expires_at = greatest(l.expires_at,
    v_now + interval '1 ms' * coalesce(p_extend_ms,
      case when v_queue.renewed_by <> 'nothing' then l.lease_ms end, 0))
    where l.id = p_lease and l.job_id is not null returning l.expires_at into expires_at;
  if not found then
    select l.expires_at into expires_at from holdfast.lease l where l.id = p_lease and l.ended_at is null;
  end if;

  done := p_done or coalesce(result_count >= v_job.item_goal, false);
  if done then
    done_reason := case
      when result_count >= v_job.item_goal then 'target_reached'
      when p_done_reason is not null then p_done_reason
      when jsonb_array_length(p_items) = 0 and coalesce(p_cursor, 'null') = 'null' then 'no_more_results'
      else 'worker_done' end;
    expires_at := null;
    perform holdfast.end_attempts(array[p_job], array[p_attempt], array[p_lease],
      array['succeeded'::holdfast.outcome], null,
      array[jsonb_build_object('reason', done_reason)
        || case when p_result is null then '{}' else jsonb_build_object('result', p_result) end
        || case when p_cleaned <> '{}' then jsonb_build_object('cleaned', p_cleaned) else '{}' end]);
  end if;
end $$;
