-- Ends a worker's lease at once. What it still holds is released, not charged. p_begun are those of its jobs that had begun, as its worker
-- knows: of the others none is paused, not even one of a claim whose answer was lost. Null: what the database knows of it counts.
create or replace function holdfast.close_lease(p_lease bigint, p_reason text default 'shutdown', p_begun bigint[] default null) returns int
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_jobs bigint[];
  v_attempts int[];
begin
  -- Jobs before the lease, as a report takes them: the other way round the two would deadlock. The lease then keeps out further
  -- claims, and the jobs are looked at again for what one of them took meanwhile.
  perform from holdfast.running r where r.lease = p_lease order by r.job_id for update;
  perform from holdfast.lease l where l.id = p_lease for update;
  -- Swept already, or not this caller's to touch: then what it holds is not either.
  if found then
    select array_agg(r.job_id), array_agg(r.attempt) into v_jobs, v_attempts from holdfast.running r where r.lease = p_lease;
  end if;
  if v_jobs is not null then
    perform holdfast.end_attempts(v_jobs, v_attempts, array_fill(p_lease, array[cardinality(v_jobs)]),
      array_fill('released'::holdfast.outcome, array[cardinality(v_jobs)]), null,
      array(select jsonb_build_object('reason', p_reason) || case when j.id = any (p_begun) or p_begun is null then '{}' else jsonb '{"began": false}' end
        from unnest(v_jobs) with ordinality j (id, n) order by j.n));
  end if;
  delete from holdfast.lease l where l.id = p_lease;
  delete from holdfast.revoked v where v.lease = p_lease;
  return coalesce(cardinality(v_jobs), 0);
end $$;
