-- The results of bulk operations, one per job.
create or replace view holdfast.bulk_results as
select r.operation_id, r.job_id, r.tenant, r.at, r.ok, r.state, r.new_job_id, r.code, r.detail
from holdfast.bulk_result r;
