-- What became of the slots of each schedule, and its runs by hand.
create or replace view holdfast.firings as
select f.id, f.tenant, f.schedule_id, f.slot, f.last_slot, f.slots, f.fired_at, f.outcome, f.job_id, f.note,
  f.actor from holdfast.firing f;
