-- For a queue whose rate applies to each key: which of these jobs, given in the order of the queue, may start
-- now, at most p_want. Their tokens are taken. A job whose key has none left is delayed until the next token
-- comes, so that it blocks no other key and uses up no attempt.
--
-- Each is promised the token after the last one promised (`booked_until`), so a flood of one key is moved
-- once and not in every claim, and keeps its order: while tokens are promised, a new job of the key goes
-- behind those that have a promise. A promise not used within five seconds (its job was canceled, say) is
-- void, and so are all of them when the clock was set back. The caller has locked the queue, and with it the
-- buckets and the rows.
create or replace function holdfast.throttle_by_key(
  p_queue int, p_levels smallint[], p_jobs bigint[], p_keys text[], p_fresh boolean[], p_want int,
    p_at timestamptz,
  out levels smallint[], out jobs bigint[])
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_queue holdfast.queue;
  -- from one token to the next
  v_step interval;
begin
  select * into v_queue from holdfast.queue q where q.id = p_queue;
  v_step := interval '1 ms' * (v_queue.rate_period_ms::double precision / v_queue.rate_limit);

  with candidate as (
    select * from unnest(p_levels, p_jobs, p_keys, p_fresh) with ordinality s (level, job_id, key, fresh, n)),
  bucket as materialized (
    select k.key, holdfast.tokens_at(v_queue, b.tokens, b.filled_at, p_at) as tokens,
      case when b.booked_until > p_at and b.filled_at <= p_at and b.filled_at + v_step * greatest(0,
        1 - b.tokens) > p_at - interval '5 s' then b.booked_until end as booked
    from (select distinct s.key from candidate s) k left join holdfast.rate b on b.queue_id = p_queue
      and b.key = any (array[k.key])),
  ranked as (
    select s.*, b.tokens, b.booked, b.booked is null or not s.fresh as in_turn,
      count(*) filter (where b.booked is null or not s.fresh) over (partition by s.key order by s.n) as nth
    from candidate s join bucket b on b.key = s.key),
  judged as (
    select r.*, r.in_turn and r.nth <= floor(r.tokens + 0.000001) as starts,
      count(*) filter (where r.in_turn and r.nth <= floor(r.tokens + 0.000001)) over (order by r.n) as started
    from ranked r),
  considered as materialized (
    select j.* from judged j where j.started - j.starts::int < p_want),
  by_key as materialized (
    select m.key, count(*) filter (where m.starts) as starting, count(*) filter (where not m.starts) as late,
      m.tokens, m.booked,
      greatest(p_at + v_step * greatest(0, 1 - m.tokens + count(*) filter (where m.starts)),
        m.booked + v_step) + interval '1 us' as first_due
    from considered m group by m.key, m.tokens, m.booked),
  deleted as (
    delete from holdfast.ready x
    using (select m.level, m.job_id,
      k.first_due + v_step * (row_number() over (partition by m.key order by m.n) - 1) as due_at
           from considered m join by_key k on k.key = m.key where not m.starts) l
    where x.queue_id = p_queue and x.level = any (array[l.level]) and x.job_id = any (array[l.job_id])
    returning x.*, l.due_at),
  delayed_row as (
    insert into holdfast.delayed (job_id, lane, ord, queue_id, attempt, interruptions, priority, failures,
      losses, keyed, state, due_at)
    select g.job_id, g.lane, g.ord, g.queue_id, g.attempt, g.interruptions, g.priority, g.failures, g.losses,
      g.keyed, 'scheduled', g.due_at
    from deleted g),
  event_row as (
    insert into holdfast.event (at, tenant, queue_id, type, job_ids)
    select p_at, v_queue.tenant, p_queue, 'held_back', array_agg(g.job_id)
      from deleted g having count(*) > 0),
  rate_row as (
    insert into holdfast.rate as r (queue_id, key, tokens, filled_at, booked_until)
    select p_queue, k.key, k.tokens - k.starting, p_at, case when k.late > 0 then k.first_due
      + v_step * (k.late - 1) else k.booked end
    from by_key k
    on conflict (queue_id, key) do update set booked_until = excluded.booked_until,
      -- unchanged if nothing starts: they show since when a token has been there unused
      tokens = case when excluded.tokens < holdfast.tokens_at(v_queue, r.tokens, r.filled_at, p_at)
        then excluded.tokens else r.tokens end,
      filled_at = case when excluded.tokens < holdfast.tokens_at(v_queue, r.tokens, r.filled_at, p_at)
        then p_at
        else least(r.filled_at, p_at) end)
  select array_agg(m.level order by m.n), array_agg(m.job_id order by m.n) into levels, jobs
    from considered m where m.starts;
end $$;

-- For explain: until when a job of this key has to wait where the queue's rate applies to each key; null: it
-- may start now. The same rule as in throttle_by_key: no token is left, or the next ones are promised to
-- earlier jobs (p_fresh: this one was never anywhere else).
create or replace function holdfast.key_held_back(p_queue holdfast.queue, p_key text, p_fresh boolean,
  p_at timestamptz) returns timestamptz
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select case
      when p_fresh and b.booked_until > p_at and b.filled_at <= p_at and b.filled_at + s.step * greatest(0,
        1 - b.tokens) > p_at - interval '5 s'
        then b.booked_until + s.step
      when k.tokens + 0.000001 < 1 then p_at + s.step * (1 - k.tokens) end
  from holdfast.rate b
  cross join lateral (
    select interval '1 ms' * (p_queue.rate_period_ms::double precision / p_queue.rate_limit) as step) s
  cross join lateral (select holdfast.tokens_at(p_queue, b.tokens, b.filled_at, p_at) as tokens) k
  where b.queue_id = p_queue.id and b.key = p_key
$$;
