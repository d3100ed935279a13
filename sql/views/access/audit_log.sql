-- The audit log: calls of the server that changed something, or were refused.
create or replace view holdfast.audit_log as
select a.id, a.at, a.tenant, a.actor, a.key_id, a.operation, a.method, a.path, a.status, a.code, a.reason,
  a.request_id, a.address
from holdfast.audit a;
