-- Schedules, with the maintenance window that stops them, and by how much they are late: a slot is due and
-- has not fired, although since then neither a pause nor a window has stopped it. `priority` is that of its
-- jobs; `own_priority` is null where its kind, or the default of 20, sets it.
create or replace view holdfast.schedules as
select s.id, s.tenant, s.name, s.description, s.queue, s.kind, s.input, s.subject,
  coalesce(s.priority, k.priority, 20) as priority, s.priority as own_priority, s.key, s.target, s.expression,
    s.time_zone, s.enabled,
  s.paused_at, s.paused_by, s.pause_note, s.catch_up, s.catch_up_max, s.overlap, s.jitter_ms, s.next_slot,
    s.next_run_at, s.last_run_at,
  s.waiting_slot, s.revision, s.declared, s.overrides, s.created_at, s.updated_at, s.created_by,
  w.since as window_since, w.until as window_until, w.paused_by as window_by, w.note as window_note,
  case when s.enabled and s.paused_at is null and w.tenant is null and s.next_run_at < n.now
    then extract(epoch from n.now - greatest(s.next_run_at, s.quiet_until, e.until)) * 1000
      else 0 end as late_ms,
  n.now
from holdfast.schedule s
left join holdfast.kind k on k.tenant = s.tenant and k.kind = s.kind
cross join (select holdfast.view_now() as now) n
left join holdfast.schedule_window w on w.tenant = s.tenant and (w.until is null or w.until > n.now)
left join holdfast.schedule_window e on e.tenant = s.tenant and e.until <= n.now;
