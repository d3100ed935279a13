-- Invariants that are broken: empty on a healthy database. The tests query it after every race, and so can
-- you.
create or replace view holdfast.violations as
with place as (
  select job_id, 'ready' as place, attempt, lane, ord, keyed from holdfast.ready
  union all select job_id, 'delayed', attempt, lane, ord, keyed from holdfast.delayed
  union all select job_id, case when state = 'waiting' then 'waiting' else 'held' end, attempt, lane, ord,
    keyed from holdfast.held
  union all select job_id, 'running', attempt, lane, ord, keyed from holdfast.running
  union all select job_id, 'ended', attempt, null, null, null from holdfast.attempt where final)
select 'a job is in more than one place' as rule, job_id, string_agg(place, ', ') as detail from place
  group by job_id having count(*) > 1
union all
select 'a job is nowhere', j.id, null from holdfast.job j
  where not exists (select from place p where p.job_id = j.id)
union all
select 'a place holds a job that was never made', p.job_id, p.place from place p
  where not exists (select from holdfast.job j where j.id = p.job_id)
union all
select 'an attempt number is missing or used too early', p.job_id,
  format('at %s, %s rows, last %s', p.attempt, count(a.attempt), max(a.attempt))
  from place p left join holdfast.attempt a on a.job_id = p.job_id
  group by p.job_id, p.place, p.attempt
  having count(a.attempt) <> p.attempt - (p.place = 'running')::int
    or coalesce(max(a.attempt), 0) <> p.attempt - (p.place = 'running')::int
union all
select 'a running job has no lease', r.job_id, r.lease::text from holdfast.running r
  where not exists (select from holdfast.lease l where l.id = r.lease)
union all
select 'two jobs of a target are out of line', min(p.job_id),
  format('lane %s: %s', p.lane, string_agg(p.place || ' ' || p.job_id, ', '))
  from place p where p.lane is not null and p.place <> 'waiting' group by p.lane having count(*) > 1
union all
select 'a job waits in a lane that is not there', p.job_id, p.lane::text from place p
  where p.lane is not null and not exists (select from holdfast.lane l where l.id = p.lane & -1024)
union all
select 'a lane has no head', l.head, l.target from holdfast.lane l
  where l.more is null and not exists (select from place p where p.lane = l.id and p.job_id = l.head
    and p.place <> 'waiting')
    and not exists (select from holdfast.lane_todo t where t.lane = l.id and t.ended = l.head)
union all
select 'a slot of a target holds another job', l.head, format('%s slot %s: %s', l.target, s.i - 1, s.head)
  from holdfast.lane l cross join lateral unnest(l.head || l.more) with ordinality s (head, i)
  where l.more is not null and s.head <> 0 and not exists (select from place p where p.lane = l.id + s.i - 1
    and p.job_id = s.head and p.place <> 'waiting')
    and not exists (select from holdfast.lane_todo t where t.lane = l.id + s.i - 1 and t.ended = s.head)
union all
select 'a job waits before the head of its target', p.job_id, l.target from holdfast.lane l
  join place h on l.more is null and h.job_id = l.head and h.lane = l.id join place p on p.lane = l.id
    and p.place = 'waiting' and p.ord < h.ord
union all
select 'a key belongs to no live job', d.job_id, d.key from holdfast.dedup d
  where not exists (select from place p where p.job_id = d.job_id and p.place <> 'ended')
union all
select 'a live job has lost its key', p.job_id, p.place from place p join holdfast.job j on j.id = p.job_id
  where p.keyed and not exists (select from holdfast.dedup d where d.queue_id = j.queue_id and d.key = j.key
    and d.job_id = j.id)
union all
select 'result_count differs from the items kept', g.job_id,
  format('%s counted, %s kept', g.result_count, count(i.id))
  from holdfast.progress g left join holdfast.item i on i.job_id = g.job_id group by g.job_id, g.result_count
    having count(i.id) <> g.result_count;
