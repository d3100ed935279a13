-- What each queue did in each minute, for charts and queries of your own. A minute in which nothing happened
-- has no row.
create or replace view holdfast.queue_minutes as
select q.tenant, q.name as queue, m.* from holdfast.queue_minute m join holdfast.queue q on q.id = m.queue_id;
