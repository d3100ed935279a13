-- Tenants that have queues or limits. Any other name is a tenant too, with nothing to show.
create or replace view holdfast.tenants as
select n.name, t.max_running, t.max_live_jobs, t.enqueues_per_second, t.payload_bytes_max, t.updated_at
from (select q.tenant as name from holdfast.queue q union select x.name from holdfast.tenant x) n
left join holdfast.tenant t on t.name = n.name;
