// Names of the caller's own, put where they would be found first if a verb did not say where it looks.
import { expect, it } from 'vitest'
import { possessions, type TwoTenants, twoTenants } from '../../support/roles/two-tenants.js'
import { CASES, hear } from './verb-cases.js'

/** Says yes, and cries out when a verb runs it as the owner of the schema. */
const YES = `language plpgsql as $$ begin
  if current_user <> session_user then raise exception 'found by %', current_user; end if;
  return true;
end $$`

/** Each answers what would open the door. */
const PLANTS = (at: string) => `
  create function ${at}.pg_has_role(name, oid, text) returns boolean language sql as 'select true';
  create function ${at}.pg_has_role(name, name, text) returns boolean language sql as 'select true';
  create function ${at}.to_regclass(text) returns regclass language sql as 'select null::regclass';
  create function ${at}.current_setting(text, boolean) returns text language sql as $$ select 'bolt' $$;
  create function ${at}.my_tenants() returns text[] language sql as $$ select '{*}'::text[] $$;
  create function ${at}.my_queues() returns int[] language sql as 'select null::int[]';
  create function ${at}.check_tenant(text) returns void language sql as '';
  create function ${at}.check_sight(boolean) returns void language sql as '';
  create function ${at}.now() returns timestamptz language sql as $$ select '2000-01-01'::timestamptz $$;
  create function ${at}.yes(int, int) returns boolean ${YES};
  create function ${at}.yes(bigint, bigint) returns boolean ${YES};
  create function ${at}.yes(text, text) returns boolean ${YES};
  create function ${at}.yes(text[], text[]) returns boolean ${YES};
  create operator ${at}.= (function = ${at}.yes, leftarg = int, rightarg = int);
  create operator ${at}.= (function = ${at}.yes, leftarg = bigint, rightarg = bigint);
  create operator ${at}.= (function = ${at}.yes, leftarg = text, rightarg = text);
  create operator ${at}.&& (function = ${at}.yes, leftarg = text[], rightarg = text[]);
  create operator ${at}.<@ (function = ${at}.yes, leftarg = text[], rightarg = text[]);`

const TABLES = (at: string) => `
  create table ${at}.tenant_grant as select session_user::name as role, '*'::text as tenant;
  create table ${at}.pg_roles as select 10::oid as oid, session_user::name as rolname;
  create table ${at}.queue (id int, tenant text, name text);
  create table ${at}.job (id bigint, queue_id int);`

async function expectNothingChanged(world: TwoTenants, before: string): Promise<void> {
  const kept = await possessions(world.store)
  const heard: Record<string, unknown> = {}
  for (const [name, asked] of Object.entries(CASES))
    heard[name] = await hear(world.acme, asked, world, { before })
  expect(heard).toEqual(Object.fromEntries(Object.entries(CASES).map(([name, { hears }]) => [name, hears])))
  const shown = await world.acme.database.transaction(async (session) => {
    await session.script(before)
    return session.query('select tenant from holdfast.jobs')
  })
  expect(shown).toEqual([{ tenant: 'acme' }])
  expect(await possessions(world.store)).toEqual(kept)
}

it('functions, operators and tables planted in a schema that is searched first change nothing', async () => {
  const world = await twoTenants()
  const schema = `${world.store.schema}_evil`
  await world.store.database.script(`create schema ${schema} authorization ${world.acme.user}`)
  // Open to everybody, so that the owner of the verbs could find them.
  await world.acme.database.script(`${PLANTS(schema)} ${TABLES(schema)}
    grant usage on schema ${schema} to public; grant select on all tables in schema ${schema} to public`)
  await expectNothingChanged(world, `set local search_path = ${schema}, pg_catalog`)
  await world.store.database.script(`drop schema ${schema} cascade`)
})

it('tables and functions planted among the temporary ones change nothing', async () => {
  const world = await twoTenants()
  await expectNothingChanged(
    world,
    `${PLANTS('pg_temp')} ${TABLES('pg_temp')} set local search_path = pg_temp, pg_catalog`,
  )
})
