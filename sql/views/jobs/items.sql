-- Items that jobs have reported: the rows of data that a crawl or a harvest collects.
create or replace view holdfast.items as
select i.id, i.job_id, i.attempt, i.queue_id, i.collection, i.key, i.data, i.created_at from holdfast.item i;
