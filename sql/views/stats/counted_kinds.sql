-- The kinds of each tenant that are counted, with the last error of each.
create or replace view holdfast.counted_kinds as
select k.tenant, k.kind, k.first_seen_at, k.last_seen_at, k.error_at, k.error_fingerprint, k.error_message,
  k.error_job_id
from holdfast.counted_kind k;
