-- Refuses a move. The message is for people; the code in the detail is for programs (SQLSTATE HF000 marks both as ours).
create or replace function holdfast.refuse(p_code text, p_message text, p_detail jsonb default '{}') returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  raise exception using errcode = 'HF000', message = p_message,
    detail = jsonb_build_object('code', p_code) || coalesce(p_detail, '{}');
end $$;
