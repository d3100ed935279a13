-- Queues with their policies. Migrations add columns to the table only at its end, so this view can follow
-- it.
create or replace view holdfast.queues as
select q.* from holdfast.queue q;
