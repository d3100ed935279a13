-- Failed attempts by the fingerprint of their error; the group '' has those beyond the bound of groups.
create or replace view holdfast.error_groups as
select g.tenant, g.fingerprint, g.error_class, g.message, g.first_seen_at, g.last_seen_at, g.attempts,
  g.kinds, g.queue_ids, g.first_version, g.last_version, g.job_ids
from holdfast.error_group g;
