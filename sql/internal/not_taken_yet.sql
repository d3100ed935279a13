-- What is good to know of a job that nothing keeps, or that only has to wait for its turn: how many stand before it, whether anybody is there
-- to take it, whether upkeep is asleep. None of it blocks: the next worker that asks may take the job.
create or replace function holdfast.not_taken_yet(p_job holdfast.job, p_queue holdfast.queue, p_now timestamptz)
returns table (code text, sentence text, data jsonb)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  -- counted no further: a page a job where they are spread over levels
  c_most constant int := 10000;
  v_me holdfast.ready;
  v_before int;
  v_rate double precision;
  v_ms bigint;
begin
  select * into v_me from holdfast.ready r where r.queue_id = p_job.queue_id and r.level = any (holdfast.levels()) and r.job_id = p_job.id;
  if found then
    select count(*) into v_before from (
      select from holdfast.ready r where r.queue_id = p_job.queue_id and (r.level, r.job_id) < (v_me.level, p_job.id) limit c_most + 1) b;
  end if;
  if v_before > 0 then
    v_rate := holdfast.recent_rate(p_queue);
    v_before := least(v_before, c_most + 1);
    v_ms := least(v_before, c_most) / v_rate * 1000;
    return query select 'behind',
      format('%s %s before it in the queue %s%s; %s.',
        case when v_before > c_most then 'More than ' || c_most else v_before::text end,
        case when v_before = 1 then 'job stands' else 'jobs stand' end, p_queue.name,
        case when p_queue.order_by = 'priority' then format(', of priority %s or more', v_me.priority) else ', first come first served' end,
        case when v_rate is null then 'when its turn comes is unknown, because none was started there in the last five minutes'
          else format('at the rate of the last five minutes (%s a minute) its turn comes in %s %s', round((v_rate * 60)::numeric, 1),
            case when v_before > c_most then 'more than' else 'about' end,
            case when v_ms < 120000 then format('%s s', ceil(v_ms / 1000.0)) when v_ms < 7200000 then format('%s min', ceil(v_ms / 60000.0))
              else format('%s h', ceil(v_ms / 3600000.0)) end) end),
      jsonb_build_object('jobs', least(v_before, c_most), 'more', v_before > c_most, 'priority', v_me.priority,
        'per_minute', round((v_rate * 60)::numeric, 1), 'estimate_ms', v_ms);
  end if;

  return query select 'no_worker',
      case when w.here = 0 then format('No live worker takes jobs of the queue %s.', p_queue.name)
        when w.staying = 0 then format('Every live worker of the queue %s is about to stop.', p_queue.name)
        else format('No live worker of the queue %s knows the kind %s; there %s that %s not.', p_queue.name, p_job.kind,
          case when w.staying = 1 then 'is one' else 'are ' || w.staying end, case when w.staying = 1 then 'does' else 'do' end) end,
      jsonb_build_object('queue', p_queue.name, 'kind', p_job.kind, 'workers', w.here, 'staying', w.staying)
    from (
      select count(*) as here, count(*) filter (where p.stays) as staying,
        -- kinds of our own are known to every worker; in two pieces, so that the name is not taken for that of the schema
        coalesce(bool_or((p_job.kind = any (p.kinds) or starts_with(p_job.kind, 'holdfast' || '.')) and p.stays), false) as known
      from (
        select p.kinds, not p.draining and d.asked_at is null as stays from holdfast.presence p
        left join holdfast.drain_request d on d.worker_id = p.worker_id and d.tenant = p.tenant and d.host = p.host and d.pid = p.pid
        where p.tenant = p_queue.tenant and p_queue.name = any (p.queues) and holdfast.heard_lately(p.heard_at)) p) w
    where not w.known;
end $$;
