-- Adds failed attempts to the groups of their errors, and to how often each kind failed with each. Only
-- count_minutes calls it, which has its turn.
create or replace function holdfast.count_errors(p_cells holdfast.error_cell[], p_now timestamptz)
returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if p_cells = '{}' then
    return;
  end if;
  perform holdfast.make_error_room(p_cells, p_now);
  with cell as materialized (
    select q.tenant, c.*, o.fingerprint is not null as is_known,
      (select count(*) from holdfast.error_group x
        where x.tenant = q.tenant and x.fingerprint <> '') as groups
    from unnest(p_cells) c join holdfast.queue q on q.id = c.queue_id
    left join holdfast.error_group o on o.tenant = q.tenant and o.fingerprint = c.fingerprint),
  kept as materialized (
    select c.*, case when c.is_known or c.groups + dense_rank() over (partition by c.tenant, c.is_known
      order by c.fingerprint) <= holdfast.stat_limit('error_groups') then c.fingerprint else '' end as grouped
    from cell c),
  group_row as (
    insert into holdfast.error_group as g (tenant, fingerprint, error_class, message, first_seen_at,
      last_seen_at, attempts, kinds, queue_ids, first_version, last_version, job_ids)
    select k.tenant, k.grouped, (array_agg(k.error_class order by k.last_at desc))[1],
      (array_agg(coalesce(k.message, '') order by k.last_at desc))[1], min(k.minute), max(k.last_at),
      sum(k.attempts), (array_agg(distinct k.kind))[1:20], (array_agg(distinct k.queue_id))[1:20],
      nullif((array_agg(k.version order by k.minute, k.last_at))[1], ''),
      nullif((array_agg(k.version order by k.last_at desc))[1], ''),
      (select (array_agg(distinct j.id order by j.id desc))[1:20] from kept x
        cross join unnest(x.jobs) j (id) where x.tenant = k.tenant and x.grouped = k.grouped)
    from kept k group by k.tenant, k.grouped
    on conflict (tenant, fingerprint) do update set error_class = excluded.error_class,
      message = excluded.message, first_seen_at = least(g.first_seen_at, excluded.first_seen_at),
      last_seen_at = greatest(g.last_seen_at, excluded.last_seen_at),
      attempts = g.attempts + excluded.attempts,
      kinds = case when g.kinds @> excluded.kinds then g.kinds
        else holdfast.merged(g.kinds, excluded.kinds) end,
      queue_ids = case when g.queue_ids @> excluded.queue_ids then g.queue_ids
        else holdfast.merged(g.queue_ids, excluded.queue_ids) end,
      last_version = excluded.last_version,
      job_ids = (select array_agg(j.id order by j.n) from (
        select u.id, min(u.n) as n from unnest(excluded.job_ids || g.job_ids) with ordinality u (id, n)
        group by u.id order by 2 limit 20) j))
  insert into holdfast.error_count as e (tenant, minutes, fingerprint, kind, at, attempts)
    select k.tenant, w.minutes, k.grouped, k.kind, date_bin(interval '1 minute' * w.minutes, k.minute,
      '2000-01-01 00:00:00+00'), sum(k.attempts)
    from kept k cross join holdfast.stat_widths() w
    where w.minutes in (1, 60) and k.minute > p_now - w.stored
    group by 1, 2, 3, 4, 5
    on conflict (tenant, minutes, fingerprint, kind, at) do update set attempts = e.attempts
      + excluded.attempts;
  update holdfast.counted_kind k set error_at = o.last_at, error_fingerprint = o.fingerprint,
    error_message = o.message, error_job_id = o.last_job
    from (select distinct on (q.tenant, c.kind) q.tenant, c.kind, c.last_at, c.fingerprint, c.message,
        c.last_job
      from unnest(p_cells) c join holdfast.queue q on q.id = c.queue_id
      order by q.tenant, c.kind, c.last_at desc) o
    where k.tenant = o.tenant and k.kind = o.kind and coalesce(k.error_at <= o.last_at, true);
end $$;

-- New groups of a tenant that has as many as it may take the places of those that were not seen for the
-- longest time, if that is more than a day.
create or replace function holdfast.make_error_room(p_cells holdfast.error_cell[], p_now timestamptz)
returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_new record;
  v_room int;
begin
  for v_new in
    select n.tenant, count(*)::int as groups from (
      select distinct q.tenant, c.fingerprint from unnest(p_cells) c
      join holdfast.queue q on q.id = c.queue_id) n
    where not exists (select from holdfast.error_group g where g.tenant = n.tenant
      and g.fingerprint = n.fingerprint)
    group by n.tenant
  loop
    select holdfast.stat_limit('error_groups') - count(*) into v_room from holdfast.error_group g
      where g.tenant = v_new.tenant and g.fingerprint <> '';
    delete from holdfast.error_group g using (
        select x.fingerprint from holdfast.error_group x where x.tenant = v_new.tenant
          and x.last_seen_at < p_now - interval '1 day' and x.fingerprint <> ''
        order by x.last_seen_at limit greatest(0, v_new.groups - v_room)) o
      where g.tenant = v_new.tenant and g.fingerprint = o.fingerprint;
  end loop;
end $$;

-- Both lists as one, without doubles, up to 20: the first ones stay.
create or replace function holdfast.merged(p_one anyarray, p_other anyarray) returns anyarray
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select array_agg(m.item order by m.n) from (
    select u.item, min(u.n) as n from unnest(p_one || p_other) with ordinality u (item, n)
    group by u.item order by 2 limit 20) m
$$;
