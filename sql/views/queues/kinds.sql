-- What programs have declared about kinds of jobs (defineJob).
create or replace view holdfast.kinds as
select k.tenant, k.kind, k.queue, k.max_retries, k.timeout_ms, k.priority, k.key, k.target, k.by_program,
  k.declared_at, k.declared_by, k.search, k.search_since from holdfast.kind k;
