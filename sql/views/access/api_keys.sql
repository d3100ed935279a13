-- API keys of the server, without their hashes.
create or replace view holdfast.api_keys as
select k.id, k.tenant, k.name, k.hint, k.scopes, k.rate_limit, k.created_at, k.created_by, k.expires_at,
  k.last_used_at, k.revoked_at, k.revoked_by, k.revoke_reason, k.replaces,
  holdfast.key_state(k.revoked_at, k.expires_at) as state
from holdfast.api_key k;
