-- Whom the lease of a worker that comes over HTTP is for. Leases are numbers anybody can guess, and a server connects as one user for all
-- tenants: it must be able to tell whose a lease is before it renews or closes it. Null where the worker has its own connection.
alter table holdfast.lease add column for_tenant text check (char_length(for_tenant) between 1 and 100);
