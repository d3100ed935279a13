-- Saved views: searches with a name, for the people of a tenant.

-- Saves a search under a name.
create or replace function holdfast.save_view(p_tenant text, p_name text, p_q text, p_columns text[],
  p_sort text, p_max int, p_actor text default null, p_reason text default null) returns bigint
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_id bigint;
begin
  perform holdfast.check_tenant(p_tenant);
  perform holdfast.take_turn('saved_views');
  if (select count(*) from holdfast.saved_view v where v.tenant = p_tenant) >= p_max then
    perform holdfast.refuse('limit_exceeded', format('A tenant can have %s saved views.', p_max),
      jsonb_build_object('limit', 'savedViewsMax', 'max', p_max));
  end if;
  insert into holdfast.saved_view (tenant, name, q, columns, sort, created_at, created_by, updated_at,
    updated_by)
  values (p_tenant, p_name, p_q, p_columns, p_sort, v_now, p_actor, v_now, p_actor)
    on conflict (tenant, name) do nothing returning id into v_id;
  if v_id is null then
    perform holdfast.refuse('view_name_taken', format('There is a view named %s already.', p_name),
      jsonb_build_object('name', p_name));
  end if;
  perform holdfast.add_tenant_event('view_saved', p_tenant, p_actor, p_reason,
    jsonb_build_object('view', v_id, 'name', p_name));
  return v_id;
end $$;

-- Changes a saved view: the fields of p_changes (name, q, columns, sort).
create or replace function holdfast.change_view(p_view bigint, p_changes jsonb, p_actor text default null,
  p_reason text default null) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now timestamptz := holdfast.now();
  v_view record;
begin
  perform holdfast.take_turn('saved_views');
  select v.tenant, v.name into v_view from holdfast.saved_view v where v.id = p_view;
  if not found then
    perform holdfast.refuse('unknown_view', format('There is no saved view %s.', p_view),
      jsonb_build_object('view', p_view));
  end if;
  if exists (select from holdfast.saved_view v where v.tenant = v_view.tenant and v.id <> p_view
    and v.name = p_changes ->> 'name') then
    perform holdfast.refuse('view_name_taken', format('There is a view named %s already.',
      p_changes ->> 'name'), jsonb_build_object('name', p_changes ->> 'name'));
  end if;
  update holdfast.saved_view v set name = coalesce(p_changes ->> 'name', v.name),
      q = coalesce(p_changes ->> 'q', v.q),
      columns = case when not p_changes ? 'columns' then v.columns
        when jsonb_typeof(p_changes -> 'columns') = 'array'
          then array(select c from jsonb_array_elements_text(p_changes -> 'columns') c) end,
      sort = case when p_changes ? 'sort' then p_changes ->> 'sort' else v.sort end,
      updated_at = v_now, updated_by = p_actor
    where v.id = p_view;
  perform holdfast.add_tenant_event('view_changed', v_view.tenant, p_actor, p_reason,
    jsonb_build_object('view', p_view, 'name', coalesce(p_changes ->> 'name', v_view.name)));
end $$;

-- Removes a saved view.
create or replace function holdfast.remove_view(p_view bigint, p_actor text default null,
  p_reason text default null) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_view record;
begin
  delete from holdfast.saved_view v where v.id = p_view returning v.tenant, v.name into v_view;
  if not found then
    perform holdfast.refuse('unknown_view', format('There is no saved view %s.', p_view),
      jsonb_build_object('view', p_view));
  end if;
  perform holdfast.add_tenant_event('view_removed', v_view.tenant, p_actor, p_reason,
    jsonb_build_object('view', p_view, 'name', v_view.name));
end $$;
