-- What a setting is now: as somebody has set it, or its default. Only of the names the view `settings` has: other views call this as
-- whoever reads them, and anything else asked for as a number would come back in the error.
create or replace function holdfast.setting_number(p_name text) returns numeric
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$ select s.value from holdfast.settings s where s.name = p_name $$;
