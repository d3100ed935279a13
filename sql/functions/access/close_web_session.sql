-- Ends the session of a browser.

-- True: there was one.
create or replace function holdfast.close_web_session(p_hash bytea) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  delete from holdfast.web_session s where s.hash = p_hash;
  return found;
end $$;
