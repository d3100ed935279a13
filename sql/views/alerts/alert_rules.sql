-- Overrides of alert rules by tenants; without one the settings apply.
create or replace view holdfast.alert_rules as
select r.tenant, r.rule, r.subject, r.enabled, r.threshold, r.for_sec, r.clear_sec, r.updated_at, r.updated_by
from holdfast.alert_rule r;
