-- Attempts of each kind by the version that workers report.
create or replace view holdfast.kind_versions as
select v.tenant, v.kind, v.version, v.first_seen_at, v.last_seen_at, v.attempts, v.failed
from holdfast.kind_version v;
