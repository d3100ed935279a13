-- Queues with their policies. Columns are only ever added to the table at its end, so this view can follow it.
create or replace view holdfast.queues as
select q.* from holdfast.queue q;
