-- Whether upkeep sleeps over this job: it should have been brought in, taken back or raised a while ago. p_since: since when.
-- Claims bring in what is due by themselves, so it takes a place where nobody claims either, or too many wait, for a job to notice.
create or replace function holdfast.upkeep_asleep(p_since timestamptz, p_now timestamptz) returns table (code text, sentence text, data jsonb)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select 'upkeep_asleep',
    format('Upkeep has not come to it since %s; it last ran %s. Every worker and server does it while it runs: is one running?', p_since,
      coalesce('at ' || u.at, 'never')),
    jsonb_build_object('since', p_since, 'last_run_at', u.at)
  from (select max(c.last_run_at) as at from holdfast.chore c) u
  where p_since < p_now - interval '1 minute'
$$;
