-- Whether upkeep sleeps over this job: p_chore should have come to it a while ago. p_since: since when.
-- Claims bring in what is due by themselves, so it takes a place where nobody claims either, or too many wait, for a job to notice.
-- How a chore goes is said by those who do it, and forgotten when the server crashes; aging leaves a mark of its own, which is not.
create or replace function holdfast.upkeep_asleep(p_chore text, p_since timestamptz, p_now timestamptz) returns table (code text, sentence text, data jsonb)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select 'upkeep_asleep',
    format('Upkeep has not come to it since %s; the chore %s ', p_since, p_chore) || case
      when u.failed then format('last ran at %s, and failed: `holdfast upkeep` says why.', u.at)
      when u.at > p_since then format('runs, last at %s, and has not got to this job yet.', u.at)
      else format('last ran %s. Every worker and server does it while it runs: is one running?', coalesce('at ' || u.at, 'nobody knows when')) end,
    jsonb_build_object('since', p_since, 'chore', p_chore, 'last_run_at', u.at, 'failed', u.failed)
  from (select max(c.at) as at, coalesce(bool_or(c.failed), false) as failed from (
      select r.last_run_at, r.error is not null from holdfast.chore_run r where r.name = p_chore
      union all
      select m.last_run_at, false from holdfast.chore m where m.name = p_chore) c (at, failed)) u
  where p_since < p_now - interval '1 minute'
$$;
