-- Worker processes by their heartbeats, with what the engine knows about them: the lease the process renews
-- and how many leases it holds, those of single jobs included. A worker that is not alive has died without
-- removing itself, or cannot reach the database.
create or replace view holdfast.workers as
select w.name as worker, p.tenant, p.host, p.pid, p.version, p.kinds, p.queues, p.slots, p.busy,
  p.lag_ms, p.draining, d.requested_at as drain_requested_at, d.requested_by as drain_requested_by,
  d.reason as drain_reason, p.started_at, p.heartbeat_at, holdfast.is_worker_alive(p.heartbeat_at) as alive,
  l.lease, l.lease_expires_at, coalesce(l.leases, 0) as leases, p.app_version
from holdfast.presence p join holdfast.worker w on w.id = p.worker_id
left join holdfast.drain_request d on d.worker_id = p.worker_id and d.tenant = p.tenant and d.host = p.host
  and d.pid = p.pid
-- A name proves nothing: a lease is shown to the tenant it is for. A lease for no tenant belongs to a worker
-- that connects to the database itself.
left join (
  select h.worker_id, h.tenant,
    (array_agg(x.id order by x.opened_at desc) filter (where x.job_id is null))[1] as lease,
    max(x.expires_at) filter (where x.job_id is null) as lease_expires_at,
    count(*) as leases
  from holdfast.presence h join holdfast.lease x on x.worker_id = h.worker_id
    left join holdfast.queue q on q.id = x.queue_id
  where x.ended_at is null and case when x.for_tenant is null and x.queue_id is null then not h.over_http
    else coalesce(x.for_tenant, q.tenant) = h.tenant end
  group by h.worker_id, h.tenant) l on l.worker_id = p.worker_id and l.tenant = p.tenant;
