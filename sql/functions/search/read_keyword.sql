-- What a keyword without a field stands for: the fields under which jobs of the tenant have it (id, key,
-- target, trace, worker, kind, queue). Each is a look into an index. Of jobs with a key or target only the
-- newest hundred are examined, for those that other tenants have too.
create or replace function holdfast.read_keyword(p_tenant text, p_keyword text) returns text[]
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_queues int[] := array(select q.id from holdfast.queue q where q.tenant = p_tenant);
  v_id bigint := case when p_keyword ~ '^#?[0-9]{1,16}$' then ltrim(p_keyword, '#')::bigint end;
begin
  return array_remove(array[
    case when exists (select from holdfast.job j where j.id = v_id and j.queue_id = any (v_queues))
      then 'id' end,
    case when exists (select from (select j.queue_id from holdfast.job j where j.key >= p_keyword
      and (j.key, j.id) < (p_keyword, 9223372036854775807) order by j.key desc, j.id desc limit 100) j
      where j.queue_id = any (v_queues)) then 'key' end,
    case when exists (select from (select j.queue_id from holdfast.job j where j.target >= p_keyword
      and (j.target, j.id) < (p_keyword, 9223372036854775807) order by j.target desc, j.id desc limit 100) j
      where j.queue_id = any (v_queues)) then 'target' end,
    case when exists (select from (select j.queue_id, j.trace from holdfast.job j
        where substr(j.trace, 4, 32) = case when p_keyword ~ '^[0-9a-f]{32}$' then p_keyword
          else substr(p_keyword, 4, 32) end
        order by j.id desc limit 100) j
      where j.queue_id = any (v_queues) and (p_keyword ~ '^[0-9a-f]{32}$' or j.trace = p_keyword))
        then 'trace' end,
    -- Names of workers are shared by all tenants: only those that have worked for this one are known to it.
    case when exists (select from holdfast.worker w where w.name = p_keyword
      and (exists (select from holdfast.presence p where p.worker_id = w.id and p.tenant in (p_tenant, '*'))
        or exists (select from (select a.worker_id, a.queue_id from holdfast.attempt a order by a.job_id desc
          limit 20000) a where a.worker_id = w.id and a.queue_id = any (v_queues))))
      then 'worker' end,
    case when exists (select from holdfast.kind k where k.tenant = p_tenant and k.kind = p_keyword)
      or exists (select from (select j.kind, j.queue_id from holdfast.job j order by j.id desc limit 5000) j
        where j.kind = p_keyword and j.queue_id = any (v_queues)) then 'kind' end,
    case when exists (select from holdfast.queue q where q.tenant = p_tenant and q.name = p_keyword)
      then 'queue' end],
    null);
end $$;
