-- A misspelt policy must not be silently ignored: every key has to be a policy column.
create or replace function holdfast.check_policy(p_policy jsonb) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_unknown text;
begin
  select k into v_unknown from jsonb_object_keys(p_policy) k
    where k = 'preset' or not (select to_jsonb(p) from holdfast.preset p where p.preset = 'default') ? k limit 1;
  if v_unknown is not null then
    perform holdfast.refuse('invalid_input', format('There is no policy named %s.', v_unknown), jsonb_build_object('path', '/policy/' || v_unknown));
  end if;
end $$;
