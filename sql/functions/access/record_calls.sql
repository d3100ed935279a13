-- Writes calls of the server to the audit log. p_calls is an array of objects with the columns of
-- holdfast.audit; `ago_ms` is how long ago the call was, since calls are written in batches.
create or replace function holdfast.record_calls(p_calls jsonb) returns int
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_count int;
begin
  perform holdfast.check_sight(p_all => false);
  insert into holdfast.audit (at, tenant, actor, key_id, operation, method, path, status, code, reason,
    request_id, address)
    select v_now - interval '1 ms' * coalesce(c.ago_ms, 0), c.tenant, c.actor, c.key_id, c.operation,
      c.method, c.path, c.status, c.code, c.reason, c.request_id, c.address
    from rows from (jsonb_to_recordset(p_calls) as (ago_ms int, tenant text, actor text, key_id bigint,
      operation text, method text, path text, status int, code text, reason text, request_id text,
      address text)) with ordinality
      c (ago_ms, tenant, actor, key_id, operation, method, path, status, code, reason, request_id, address, n)
    order by c.n;
  get diagnostics v_count = row_count;
  return v_count;
end $$;
