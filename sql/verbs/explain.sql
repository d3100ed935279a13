-- Why a job is where it is, in sentences for people. `blocking` tells what keeps it from being claimed from what is only good
-- to know: a job that can be claimed now has no blocking reason, one that cannot has at least one.
create or replace function holdfast.explain(p_job bigint) returns table (code text, blocking boolean, sentence text, data jsonb)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_state holdfast.state;
  v_job holdfast.job;
  v_queue holdfast.queue;
begin
  -- The job's row first, by a statement of its own: that waits for a prune before it looks, which state_of would do after.
  select * into v_job from holdfast.job j where j.id = p_job;
  v_state := holdfast.state_of(p_job);
  if v_state is null then
    perform holdfast.refuse_state(p_job, 'be_explained');
  end if;
  select * into v_queue from holdfast.queue q where q.id = v_job.queue_id;

  return query select 'ended', true,
      format('The job %s at %s%s.', a.moved_to, a.finished_at, coalesce(' (' || a.reason || ')', '')),
      jsonb_build_object('state', a.moved_to, 'finished_at', a.finished_at, 'reason', a.reason)
    from holdfast.attempt a where a.job_id = p_job and a.final;

  return query select case when r.started_at is null then 'assigned' else 'running' end, true,
      format('Worker %s has it since %s; its lease runs until %s%s.', w.name, r.claimed_at, coalesce(l.expires_at::text, 'unknown'),
        case when r.cancel_requested then ', and it was asked to stop' else '' end),
      jsonb_build_object('worker', w.name, 'claimed_at', r.claimed_at, 'lease_expires_at', l.expires_at, 'attempt', r.attempt)
    from holdfast.running r left join holdfast.lease l on l.id = any (array[r.lease]) left join holdfast.worker w on w.id = any (array[r.worker_id])
    where r.job_id = p_job;

  return query select d.state::text, true,
      format(case d.state when 'retrying' then 'It failed %s times and is tried again at %s.' else 'It is not due before %2$s.' end, d.failures, d.due_at),
      jsonb_build_object('due_at', d.due_at, 'failures', d.failures)
    from holdfast.delayed d where d.job_id = p_job and d.due_at > holdfast.now();

  return query select h.state::text, true,
      format(case h.state
        when 'pending' then 'It was made but not released yet.'
        when 'parked' then 'No worker that asked for it knows its kind, %3$s; it waits since %2$s for one that does, or for a resume.'
        else 'It is %1$s since %2$s%4$s: resume, skip or cancel it.' end,
        h.state, h.since, v_job.kind, coalesce(' (' || h.reason || ')', '')),
      jsonb_build_object('since', h.since, 'reason', h.reason)
    from holdfast.held h where h.job_id = p_job and h.state <> 'waiting';

  return query select 'target_held', true,
      format('Its target %s is held by job %s, which is %s.', v_job.target, s.head, coalesce(holdfast.state_of(s.head)::text, 'gone')),
      jsonb_build_object('target', v_job.target, 'job_id', s.head, 'state', holdfast.state_of(s.head))
    from holdfast.held h join holdfast.lane l on l.queue_id = v_job.queue_id and l.target = v_job.target
    -- where a target runs several, the first that is there
    cross join lateral (select coalesce(min(x.head) filter (where x.head <> 0), 0) as head from unnest(l.head || l.more) x (head)) s
    where h.job_id = p_job and h.state = 'waiting';

  -- Arrived in a caller's transaction and not in line yet: the next claim would place it, behind those that came before it.
  return query select 'target_held', true, format('Job %s came to its target %s before it.', f.job_id, h.target),
      jsonb_build_object('target', h.target, 'job_id', f.job_id, 'state', 'waiting')
    from holdfast.held h cross join lateral (
      select a.job_id from holdfast.held a where a.state = 'waiting' and a.lane is null and a.queue_id = h.queue_id and a.target = h.target
        and a.job_id < h.job_id order by a.job_id limit 1) f
    where h.job_id = p_job and h.state = 'waiting' and h.lane is null
      and not exists (select from holdfast.lane l where l.queue_id = h.queue_id and l.target = h.target);

  if v_queue.paused_at is not null and v_state in ('queued', 'scheduled', 'retrying', 'waiting') then
    return query select 'queue_paused', true,
      format('The queue %s is paused since %s%s%s.', v_queue.name, v_queue.paused_at, coalesce(' by ' || v_queue.paused_by, ''),
        coalesce(' (' || v_queue.pause_reason || ')', '')),
      jsonb_build_object('queue', v_queue.name, 'since', v_queue.paused_at, 'by', v_queue.paused_by, 'reason', v_queue.pause_reason);
  end if;

  if v_state = 'queued' and v_queue.limited then
    return query select l.code, true, l.sentence, l.data from holdfast.limits_reached(v_queue) l;
  end if;

  if v_state = 'queued' then
    return query select 'behind', false,
        format('%s%s jobs stand before it in the queue %s.', case when b.n > 1000 then 'More than ' else '' end, least(b.n, 1000), v_queue.name),
        jsonb_build_object('jobs', least(b.n, 1000), 'more', b.n > 1000)
      from (select count(*) as n from (
        select from holdfast.ready me
        cross join lateral (select from holdfast.ready r where r.queue_id = v_job.queue_id and (r.level, r.job_id) < (me.level, p_job) limit 1001) r
        where me.queue_id = v_job.queue_id and me.level = any (holdfast.levels()) and me.job_id = p_job) x) b
      where b.n > 0;
  end if;
end $$;
