-- Maintenance windows: open ones, and the last of each tenant that ended by itself.
create or replace view holdfast.schedule_windows as
select w.tenant, w.since, w.until, w.paused_by, w.note, w.until is null
  or w.until > holdfast.view_now() as open from holdfast.schedule_window w;
