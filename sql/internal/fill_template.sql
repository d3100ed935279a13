-- The key or target that a kind's template gives for an input: {a.b} stands for that field of it, {} for the input itself. Null where a field
-- is missing or null. Only text, whole numbers, true and false are written the same everywhere; anything else is refused.
create or replace function holdfast.fill_template(p_template text, p_input jsonb, p_name text) returns text
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_texts text[] := regexp_split_to_array(p_template, '\{[^{}]*\}');
  v_filled text := v_texts[1];
  v_field text;
  v_value jsonb;
  v_n int := 1;
begin
  for v_field in select m[1] from regexp_matches(p_template, '\{([^{}]*)\}', 'g') m loop
    v_n := v_n + 1;
    v_value := case v_field when '' then p_input else p_input #> string_to_array(v_field, '.') end;
    if v_value is null or v_value = 'null' then
      return null;
    elsif jsonb_typeof(v_value) in ('string', 'boolean') then
      v_filled := v_filled || (v_value #>> '{}') || v_texts[v_n];
    elsif jsonb_typeof(v_value) = 'number' and abs(v_value::numeric) <= 9007199254740991 and v_value::numeric = trunc(v_value::numeric) then
      v_filled := v_filled || trunc(v_value::numeric)::text || v_texts[v_n];
    else
      perform holdfast.refuse('invalid_input', format('The field {%s} of the input, which the %s of this kind is made of, is no text, whole number, true or false.',
        v_field, p_name), jsonb_build_object('path', '/input', 'problem', format('{%s} makes no %s', v_field, p_name)));
    end if;
  end loop;
  return v_filled;
end $$;
