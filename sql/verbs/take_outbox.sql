-- Takes what an external trigger has to be told, for p_hold_ms: whoever takes it and dies leaves it to the next. What it says is decided
-- now, by where the job is: `claimable`, or `failed` for good. A job that is anywhere else needs no word, because whatever makes it
-- claimable again writes a row of its own; such rows go, and are answered without news, so that the caller knows how much was looked at.
-- Queues that are paused keep theirs.
create or replace function holdfast.take_outbox(p_tenant text, p_trigger text, p_limit int default 200, p_hold_ms int default 30000)
returns table (id bigint, job_id bigint, queue text, sends int, news text)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_now timestamptz := holdfast.now();
begin
  perform holdfast.check_tenant(p_tenant);
  return query
  with due as materialized (
    select x.id, x.job_id, x.sends, q.name from holdfast.queue q cross join lateral (
      select o.id, o.job_id, o.sends from holdfast.outbox o where o.queue_id = q.id and o.due_at <= v_now
      order by o.due_at, o.id limit p_limit for update skip locked) x
    where q.tenant = p_tenant and q.external_trigger = p_trigger and q.paused_at is null
    limit p_limit),
  judged as materialized (
    -- Of several rows of a job one is enough. One that was sent said that its job can be claimed; the failure has a row of its own.
    select d.*, case when row_number() over (partition by d.job_id order by d.id desc) = 1 then
        case holdfast.state_of(d.job_id) when 'queued' then 'claimable' when 'failed' then case d.sends when 0 then 'failed' end end end as news
    from due d),
  gone as (
    delete from holdfast.outbox o using judged j where o.id = any (array[j.id]) and j.news is null),
  taken as (
    update holdfast.outbox o set due_at = v_now + interval '1 ms' * p_hold_ms
    from judged j where o.id = any (array[j.id]) and j.news is not null returning o.id, o.sends)
  select j.id, j.job_id, j.name, t.sends, j.news from judged j left join taken t on t.id = j.id order by j.id;
end $$;
