// What the catalog of a sealed schema says, compared with what docs/roles.md promises.
import { readFileSync } from 'node:fs'
import { ROLES, roleName, type Store } from 'holdfast/store'
import { expect, it } from 'vitest'
import { login, sealedStore } from '../../support/roles/sealed.js'
import { FOR_READERS, verbs } from '../../support/sql.js'

const root = new URL('../../../', import.meta.url)

/** Tables about the installation, which a program reads before it works. */
const FOR_EVERY_ROLE = ['migration', 'code', 'move']

interface Rights {
  verbs: string[]
  views: string[]
}

/** The table of the document: | role | verbs | views | */
function promised(): Record<string, Rights> {
  const text = readFileSync(new URL('docs/roles.md', root), 'utf8')
  const words = (cell: string) => [...cell.matchAll(/`(\w+)`/g)].map(([, word]) => word as string).sort()
  const rows = [...text.matchAll(/^\| `(\w+)` \| [^|]* \| ([^|]*) \| ([^|]*) \|$/gm)]
  return Object.fromEntries(
    rows.map(([, role, verbs, views]) => [role, { verbs: words(verbs ?? ''), views: words(views ?? '') }]),
  )
}

async function granted({ database, schema }: Store, role: string): Promise<Rights> {
  const verbs = await database.query<{ name: string }>(
    `select distinct p.proname as name from pg_proc p where p.pronamespace = $1::regnamespace
       and has_function_privilege($2::name, p.oid, 'execute') order by 1`,
    [schema, role],
  )
  const relations = await database.query<{ name: string }>(
    `select c.relname as name from pg_class c where c.relnamespace = $1::regnamespace and c.relkind in ('r', 'p', 'v', 'S')
       and case c.relkind when 'S' then has_sequence_privilege($2::name, c.oid, 'usage, select, update')
         else has_table_privilege($2::name, c.oid, 'select, insert, update, delete, truncate, references, trigger') end order by 1`,
    [schema, role],
  )
  return {
    verbs: verbs.map(({ name }) => name).filter((name) => !FOR_READERS.includes(name)),
    views: relations.map(({ name }) => name).filter((name) => !FOR_EVERY_ROLE.includes(name)),
  }
}

it('each role has exactly the verbs and views that docs/roles.md gives it, and no table', async () => {
  const store = await sealedStore()
  await store.enqueue({ queue: 'q', kind: 'k' })
  const found: Record<string, Rights> = {}
  for (const role of ROLES) found[role] = await granted(store, roleName(role, store.schema))
  expect(found).toEqual(promised())
  expect(Object.keys(promised()).sort()).toEqual([...ROLES].sort())
})

it('no role may write anywhere, and a user without a role has no right at all', async () => {
  const store = await sealedStore()
  await store.enqueue({ queue: 'q', kind: 'k' })
  const writable = await store.database.query(
    `select r.rolname, c.relname from pg_roles r, pg_class c
     where c.relnamespace = $1::regnamespace and r.rolname = any ($2) and c.relkind in ('r', 'p', 'v')
       and has_table_privilege(r.oid, c.oid, 'insert, update, delete, truncate, references, trigger')`,
    [store.schema, ROLES.map((role) => roleName(role, store.schema))],
  )
  expect(writable).toEqual([])
  const nobody = await login(store, [], [])
  expect(await granted(store, nobody.user)).toEqual({ verbs: [], views: [] })
  await expect(nobody.read.job(1)).rejects.toMatchObject({ code: 'forbidden' })
  await expect(nobody.enqueue({ queue: 'q', kind: 'k' })).rejects.toMatchObject({ code: 'forbidden' })
})

it('the server may call every verb there is', async () => {
  const store = await sealedStore()
  expect((await granted(store, roleName('server', store.schema))).verbs).toEqual(verbs())
})

it('a plain role that nobody can log in as owns everything, also the partitions made later', async () => {
  const store = await sealedStore()
  const producer = await login(store, 'producer', ['default'])
  await producer.enqueue({ queue: 'q', kind: 'k' })
  await store.database.query(`insert into holdfast.setting values ('PARTITION_JOBS', '1', holdfast.now())`)
  await producer.enqueue({ queue: 'q', kind: 'k' })
  const owners = await store.database.query(
    `select distinct r.rolname as name, r.rolsuper or r.rolbypassrls or r.rolcanlogin or r.rolcreaterole as mighty from (
       select nspowner as owner from pg_namespace where oid = $1::regnamespace
       union all select relowner from pg_class where relnamespace = $1::regnamespace
       union all select proowner from pg_proc where pronamespace = $1::regnamespace
       union all select typowner from pg_type where typnamespace = $1::regnamespace) o join pg_roles r on r.oid = o.owner`,
    [store.schema],
  )
  expect(owners).toEqual([{ name: roleName('owner', store.schema), mighty: false }])
})

it('every function that runs as its owner says where it looks for names', async () => {
  const store = await sealedStore()
  const loose = await store.database.query(
    `select proname from pg_proc where pronamespace = $1::regnamespace and prosecdef
       and not coalesce('search_path=pg_catalog, pg_temp' = any (proconfig), false)`,
    [store.schema],
  )
  expect(loose).toEqual([])
  const [count] = await store.database.query<{ n: number }>(
    'select count(*) as n from pg_proc where pronamespace = $1::regnamespace and prosecdef',
    [store.schema],
  )
  expect(count?.n).toBeGreaterThan(30)
})

it('row-level security is forced on every table, and only what belongs to no tenant is open to all verbs', async () => {
  const store = await sealedStore()
  const tables = await store.database.query<{ name: string; forced: boolean; policies: string[] }>(
    `select c.relname as name, c.relrowsecurity and c.relforcerowsecurity as forced,
       array(select polname::text from pg_policy where polrelid = c.oid order by 1) as policies
     from pg_class c where c.relnamespace = $1::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
    [store.schema],
  )
  expect(tables.filter(({ forced }) => !forced)).toEqual([])
  const open = tables.filter(({ policies }) => policies.includes('open')).map(({ name }) => name)
  // A new table belongs here only if none of its rows is anybody's; otherwise give it a queue_id or a tenant.
  expect(open).toEqual([
    'alert_tick',
    'chore',
    'chore_run',
    'closed',
    'code',
    'migration',
    'move',
    'partition',
    'pinned_clock',
    'preset',
    'setting',
    'tenant_grant',
    'turn',
    'worker',
  ])
  const others = tables.filter(({ name }) => !open.includes(name))
  expect(others.filter(({ policies }) => policies.length === 0)).toEqual([])
})

it('a partition cannot be reached past its table', async () => {
  const store = await sealedStore()
  const user = await login(store, ['producer', 'worker', 'operator', 'reader', 'server'], ['*'])
  await user.enqueue({ queue: 'q', kind: 'k' })
  for (const table of ['job_1', 'attempt_1', 'job', 'attempt']) {
    await expect(user.database.query(`select from holdfast.${table}`)).rejects.toMatchObject({
      code: 'forbidden',
    })
    await expect(user.database.query(`delete from holdfast.${table}`)).rejects.toMatchObject({
      code: 'forbidden',
    })
  }
})
