-- The name that the preset of a queue has for a state: `status` of a job. `default` has the states
-- themselves. Under `pipeline` a live job that no worker has is queued before its first attempt and
-- failed_retryable afterwards. The same table as src/presets/*/preset.ts, which a test compares. Not inlined:
-- its own search path keeps a caller from replacing its operators.
create or replace function holdfast.state_word(p_preset text, p_state holdfast.state, p_attempted boolean)
returns text
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
  select case p_preset
    when 'default' then p_state::text
    when 'harvest' then case p_state when 'assigned' then 'processing' when 'running' then 'processing'
      when 'succeeded' then 'done' when 'failed' then 'failed' when 'canceled' then 'failed'
      else 'queued' end
    when 'crawl' then case p_state when 'assigned' then 'crawling' when 'running' then 'crawling'
      when 'succeeded' then 'success' when 'failed' then 'failed' when 'canceled' then 'failed'
      else 'queued' end
    when 'pipeline' then case p_state when 'assigned' then 'processing' when 'running' then 'processing'
      when 'succeeded' then 'completed' when 'failed' then 'failed' when 'canceled' then 'failed'
      when 'retrying' then 'failed_retryable'
      else case when p_attempted then 'failed_retryable' else 'queued' end end
    when 'target' then case p_state when 'pending' then 'PENDING' when 'paused' then 'PAUSED'
      when 'errored' then 'ERROR' when 'assigned' then 'RUNNING' when 'running' then 'RUNNING'
      when 'succeeded' then 'SUCCESS' when 'failed' then 'CANCELED' when 'canceled' then 'CANCELED'
      else 'QUEUED' end
    when 'catalog' then case p_state when 'assigned' then 'assigned' when 'running' then 'running'
      when 'succeeded' then 'succeeded' when 'failed' then 'failed' when 'canceled' then 'canceled'
      else 'queued' end
    else p_state::text end
$$;
