-- Searches with a name, for the people of a tenant.
create or replace view holdfast.saved_views as
select v.id, v.tenant, v.name, v.q, v.columns, v.sort, v.created_at, v.created_by, v.updated_at, v.updated_by
from holdfast.saved_view v;
