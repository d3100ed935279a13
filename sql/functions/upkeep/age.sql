-- Raises the priority of jobs that have waited long, so that a steady stream of important ones cannot starve
-- them: by p_step for each job that has waited over p_after, once per p_every however many nodes call it, up
-- to p_cap. Rows at the cap are not touched. A row costs 26 us to raise, so only the oldest p_per_level of
-- each level are raised in one pass: they are the next to be claimed.
create or replace function holdfast.age(
  p_after interval default '1 hour', p_step int default 10, p_cap int default 100,
    p_every interval default '5 minutes', p_per_level int default 1000
) returns int
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_raised int;
begin
  perform holdfast.check_sight(p_all => true);
  insert into holdfast.chore as c (name, last_run_at) values ('age', v_now)
    on conflict (name) do update set last_run_at = v_now where c.last_run_at <= v_now - p_every;
  if not found then
    return 0;
  end if;
  with recursive levels as (
    (select r.queue_id, r.level from holdfast.ready r order by r.queue_id, r.level limit 1)
    union all
    select n.queue_id, n.level from levels l cross join lateral (
      select r.queue_id, r.level from holdfast.ready r where (r.queue_id, r.level) > (l.queue_id, l.level)
      order by r.queue_id, r.level limit 1) n),
  old as materialized (
    select o.tid, o.since from levels l join holdfast.queue q on q.id = any (array[l.queue_id])
      and q.order_by = 'priority'
    cross join lateral (
      select r.ctid as tid, coalesce(r.since, j.created_at) as since
      from (select x.ctid, x.job_id, x.since, x.priority from holdfast.ready x where x.queue_id = l.queue_id
        and x.level = l.level
            order by x.job_id limit p_per_level for update skip locked) r
      join holdfast.job j on j.id = any (array[r.job_id])
      where r.priority < p_cap and coalesce(r.since, j.created_at) <= v_now - p_after) o),
  raised as (
    update holdfast.ready r set priority = least(p_cap, r.priority + p_step),
      level = 100 - least(p_cap, r.priority + p_step), since = o.since
    from old o where r.ctid = o.tid returning 1)
  select count(*) into v_raised from raised;
  return v_raised;
end $$;
