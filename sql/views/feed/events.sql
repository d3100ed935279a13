-- Events of the feed, to look up those of one job; subscribers read holdfast.feed.
create or replace view holdfast.events as
select e.id, e.at, e.tenant, e.type, e.job_id, e.job_ids, e.queue_id, e.actor, e.reason, e.data
  from holdfast.event e;
