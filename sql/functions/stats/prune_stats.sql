-- Deletes what charts and groups of errors no longer need: rows older than their width is stored for, kinds,
-- versions and groups that were not seen for ROLLUP_DAYS, and versions of workers that are gone. At most
-- p_limit of each, the oldest first.
create or replace function holdfast.prune_stats(p_limit int) returns int
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_before timestamptz := v_now - interval '1 day' * holdfast.setting_number('ROLLUP_DAYS')::int;
  v_width record;
  v_deleted int;
  v_total int := 0;
begin
  for v_width in select w.minutes, v_now - w.stored - interval '1 minute' * w.minutes as before
    from holdfast.stat_widths() w
  loop
    delete from holdfast.stat s using (
        select x.tenant, x.minutes, x.queue_id, x.at, x.kind from holdfast.stat x
        where x.minutes = v_width.minutes and x.at < v_width.before order by x.at limit p_limit) o
      where (s.tenant, s.minutes, s.queue_id, s.at, s.kind)
        = (o.tenant, o.minutes, o.queue_id, o.at, o.kind);
    get diagnostics v_deleted = row_count;
    v_total := v_total + v_deleted;
    delete from holdfast.error_count e using (
        select x.tenant, x.minutes, x.fingerprint, x.kind, x.at from holdfast.error_count x
        where x.minutes = v_width.minutes and x.at < v_width.before order by x.at limit p_limit) o
      where (e.tenant, e.minutes, e.fingerprint, e.kind, e.at)
        = (o.tenant, o.minutes, o.fingerprint, o.kind, o.at);
    get diagnostics v_deleted = row_count;
    v_total := v_total + v_deleted;
  end loop;
  delete from holdfast.error_group g using (select x.tenant, x.fingerprint from holdfast.error_group x
      where x.last_seen_at < v_before limit p_limit) o
    where g.tenant = o.tenant and g.fingerprint = o.fingerprint;
  get diagnostics v_deleted = row_count;
  v_total := v_total + v_deleted;
  delete from holdfast.counted_kind k using (select x.tenant, x.kind from holdfast.counted_kind x
      where x.last_seen_at < v_before limit p_limit) o
    where k.tenant = o.tenant and k.kind = o.kind;
  get diagnostics v_deleted = row_count;
  v_total := v_total + v_deleted;
  delete from holdfast.kind_version v using (select x.tenant, x.kind, x.version from holdfast.kind_version x
      where x.last_seen_at < v_before limit p_limit) o
    where v.tenant = o.tenant and v.kind = o.kind and v.version = o.version;
  get diagnostics v_deleted = row_count;
  v_total := v_total + v_deleted;
  -- The last version of a worker is needed for as long as it is there.
  delete from holdfast.worker_version v using (
      select x.tenant, x.worker_id, x.since from holdfast.worker_version x
      where x.since < v_now - interval '1 day' and (
        not exists (select from holdfast.presence p where p.worker_id = x.worker_id and p.tenant = x.tenant)
        or exists (select from holdfast.worker_version l where l.tenant = x.tenant
          and l.worker_id = x.worker_id and l.since > x.since and l.since < v_now - interval '1 day'))
      limit p_limit) o
    where v.tenant = o.tenant and v.worker_id = o.worker_id and v.since = o.since;
  get diagnostics v_deleted = row_count;
  return v_total + v_deleted;
end $$;
