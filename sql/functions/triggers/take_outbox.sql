-- The outbox of external triggers (SQS). A row says that the trigger must be notified of a job; it is written
-- in the transaction that made the job claimable or failed it. A relay takes rows, sends messages and settles
-- the rows.

-- Takes rows of the outbox for p_hold_ms; if the caller dies, the next one takes them again. `message` is
-- decided now, by the state of the job: `claimable`, or `failed` for good. A job in any other state needs no
-- message, because the move that makes it claimable again writes a row of its own; such rows are deleted and
-- returned without a message, so that the caller knows how many were examined. Rows of paused queues stay.
create or replace function holdfast.take_outbox(p_tenant text, p_trigger text, p_limit int default 200,
  p_hold_ms int default 30000)
returns table (id bigint, job_id bigint, queue text, sends int, message text)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_now timestamptz := holdfast.now();
begin
  perform holdfast.check_tenant(p_tenant);
  return query
  with due as materialized (
    select x.id, x.job_id, x.sends, q.name from holdfast.queue q cross join lateral (
      select o.id, o.job_id, o.sends from holdfast.outbox o where o.queue_id = q.id and o.due_at <= v_now
      order by o.due_at, o.id limit p_limit for update skip locked) x
    where q.tenant = p_tenant and q.external_trigger = p_trigger and q.paused_at is null
    limit p_limit),
  judged as materialized (
    -- One row of a job is enough. A row that was sent announced that its job is claimable; a failure has a
    -- row of its own.
    select d.*, case when row_number() over (partition by d.job_id order by d.id desc) = 1 then
        case holdfast.state_of(d.job_id) when 'queued' then 'claimable' when 'failed' then case d.sends
          when 0 then 'failed' end end end as message
    from due d),
  deleted as (
    delete from holdfast.outbox o using judged j where o.id = any (array[j.id]) and j.message is null),
  updated as (
    update holdfast.outbox o set due_at = v_now + interval '1 ms' * p_hold_ms
    from judged j where o.id = any (array[j.id]) and j.message is not null returning o.id, o.sends)
  select j.id, j.job_id, j.name, t.sends, j.message from judged j left join updated t on t.id = j.id
    order by j.id;
end $$;

-- Settles rows taken by take_outbox: whether they were sent, and that row p_ids[i] is due again after
-- p_due_in_ms[i], or deleted if that is null.
create or replace function holdfast.outbox_settle(p_ids bigint[], p_due_in_ms bigint[],
  p_sent boolean default true) returns int
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_settled int;
begin
  -- Locked in the order of ids, as everywhere in the outbox.
  with taken as materialized (
    select o.id, s.due_in_ms from (select * from unnest(p_ids, p_due_in_ms) u (id, due_in_ms) order by u.id) s
    join holdfast.outbox o on o.id = any (array[s.id]) for update of o),
  deleted as (
    delete from holdfast.outbox o using taken m where o.id = any (array[m.id]) and m.due_in_ms is null),
  updated as (
    update holdfast.outbox o set due_at = v_now + interval '1 ms' * m.due_in_ms, sends = o.sends + p_sent::int
    from taken m where o.id = any (array[m.id]) and m.due_in_ms is not null)
  select count(*) into v_settled from taken;
  return v_settled;
end $$;

-- Makes the trigger send another message, in p_after_ms, for those of these jobs that are claimable: their
-- message could not be used (the queue was at its limit, say) or was lost. Returns these jobs.
create or replace function holdfast.outbox_requeue(p_jobs bigint[], p_after_ms int default 0) returns bigint[]
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_jobs bigint[];
begin
  with claimable as materialized (
    select j.id as job_id, j.queue_id, q.external_trigger
      from (select distinct u.id from unnest(p_jobs) u (id)) p
    join holdfast.job j on j.id = any (array[p.id]) join holdfast.queue q on q.id = any (array[j.queue_id])
    where q.external_trigger is not null and holdfast.state_of(j.id) = 'queued'),
  existing as materialized (
    select o.id, o.job_id from claimable l join holdfast.outbox o on o.job_id = any (array[l.job_id])
      order by o.id for update of o),
  updated as (
    update holdfast.outbox o set due_at = v_now + interval '1 ms' * p_after_ms from existing m
      where o.id = any (array[m.id])),
  inserted as (
    insert into holdfast.outbox (job_id, queue_id, created_at, trigger, due_at)
    select l.job_id, l.queue_id, v_now, l.external_trigger, v_now + interval '1 ms' * p_after_ms
      from claimable l
    where not exists (select from existing m where m.job_id = l.job_id))
  select array_agg(l.job_id order by l.job_id) into v_jobs from claimable l;
  return coalesce(v_jobs, '{}');
end $$;

-- Adds claimable jobs without a row to the outbox of a trigger: those that waited when the queue got its
-- trigger, and any whose row was lost. Scans all claimable jobs of these queues, so call it rarely. At most
-- p_limit at once.
create or replace function holdfast.outbox_backfill(p_tenant text, p_trigger text, p_limit int default 1000)
returns int
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_added int;
begin
  perform holdfast.check_tenant(p_tenant);
  insert into holdfast.outbox (job_id, queue_id, created_at, trigger)
    select r.job_id, q.id, holdfast.now(), p_trigger
    from holdfast.queue q join holdfast.ready r on r.queue_id = any (array[q.id])
    where q.tenant = p_tenant and q.external_trigger = p_trigger
      and not exists (select from holdfast.outbox o where o.job_id = r.job_id)
    limit p_limit;
  get diagnostics v_added = row_count;
  return v_added;
end $$;
