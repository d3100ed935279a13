-- How often each kind failed with each error in a minute and in an hour (`minutes`).
create or replace view holdfast.error_counts as
select e.tenant, e.minutes, e.fingerprint, e.kind, e.at, e.attempts from holdfast.error_count e;
