// Installing the roles: by whom, again, and what a migration does to a schema that has them.
import { randomBytes } from 'node:crypto'
import {
  type ClaimedJob,
  type Database,
  installRoles,
  migrateUp,
  migrationSql,
  migrationStatus,
  openStore,
  roleName,
  rolesSql,
  type Store,
  storeOn,
} from 'holdfast/store'
import { expect, it, onTestFinished } from 'vitest'
import { makeDatabase, makeUser, open, urlOf } from '../../support/databases.js'
import { dropRoles, login, sealedStore } from '../../support/roles/sealed.js'
import { freshStore, postgresUrl } from '../../support/world.js'

/** A schema name of its own, because roles are shared by all databases of a server. */
function schemaName(): string {
  const schema = `t_${randomBytes(6).toString('hex')}`
  onTestFinished(() => dropRoles(schema))
  return schema
}

async function worksOneJob(producer: Store, worker: Store): Promise<void> {
  const { jobId } = await producer.enqueue({ queue: 'q', kind: 'k' })
  const [job] = await worker.work.claim({ worker: 'w', queues: ['q'] })
  expect(job?.jobId).toBe(jobId)
  expect(await worker.work.finish([{ ...(job as ClaimedJob), outcome: 'succeeded' }])).toMatchObject([
    { accepted: true, state: 'succeeded' },
  ])
  expect(await producer.read.job(jobId)).toMatchObject({ state: 'succeeded' })
}

/** Rights, owners, policies and their text. */
async function pictureOf(database: Database, schema: string): Promise<unknown> {
  return database.query(
    `select 'relation' as kind, c.relname::text as name, pg_get_userbyid(c.relowner) as owner, c.relacl::text as acl,
       (select string_agg(p.polname || ' ' || p.oid || ' ' || coalesce(pg_get_expr(p.polqual, p.polrelid), ''), ', ' order by p.polname)
        from pg_policy p where p.polrelid = c.oid) as rules
     from pg_class c where c.relnamespace = $1::regnamespace and c.relkind in ('r', 'p', 'v', 'S')
     union all
     select 'function', p.oid::regprocedure::text, pg_get_userbyid(p.proowner),
       (select string_agg(a::text, ',' order by a::text) from unnest(p.proacl) a), null
     from pg_proc p where p.pronamespace = $1::regnamespace order by 1, 2`,
    [schema],
  )
}

it('a producer and a worker do a job together, each with its own verbs only', async () => {
  const store = await sealedStore()
  await worksOneJob(await login(store, 'producer', ['default']), await login(store, 'worker', ['default']))
})

it('a program of any role starts on a sealed schema', async () => {
  const store = await sealedStore()
  const { user } = await login(store, 'worker', ['default'])
  const started = await openStore({ url: urlOf({ user }), schema: store.schema, connections: 1 })
  expect(started.schema).toBe(store.schema)
  await started.close()
})

it('the database inside the process, where there is only one user, works on when it is sealed', async () => {
  const store = await freshStore('pglite')
  await installRoles(store.database, store.schema)
  await worksOneJob(store, store)
})

it('gives up soon when somebody holds a table, with nothing half done', async () => {
  const { database, schema } = await freshStore('postgres', { ownName: true })
  const before = await pictureOf(database, schema)
  await open(postgresUrl(), 1).transaction(async (holder) => {
    await holder.query(`lock table ${schema}.ready in access share mode`)
    await expect(installRoles(database, schema)).rejects.toMatchObject({ code: 'conflict' })
  })
  expect(await pictureOf(database, schema)).toEqual(before)
  const roles = await database.query('select from pg_roles where rolname = $1', [roleName('owner', schema)])
  expect(roles).toEqual([])
})

it('applied again it changes nothing, not even a policy', async () => {
  const store = await sealedStore()
  const before = await pictureOf(store.database, store.schema)
  await installRoles(store.database, store.schema)
  expect(await pictureOf(store.database, store.schema)).toEqual(before)
})

it('the owner of a database with CREATEROLE installs the roles, migrates and works, without being a superuser', async () => {
  const schema = schemaName()
  const user = await makeUser()
  await open(postgresUrl()).script(`alter role ${user} createrole`)
  const database = open(urlOf({ user }, await makeDatabase(`owner ${user}`)))
  await migrateUp(database, schema)
  await installRoles(database, schema)
  await installRoles(database, schema)
  await database.script(`update ${schema}.code set hash = 'old'`)
  expect(await migrateUp(database, schema)).toMatchObject({ functions: 'current' })
  const own = storeOn(database, schema)
  await worksOneJob(own, own)
})

it('who may not create roles is told so, with a remedy, and nothing is changed', async () => {
  const schema = schemaName()
  const user = await makeUser()
  const database = open(urlOf({ user }, await makeDatabase(`owner ${user}`)))
  await migrateUp(database, schema)
  const before = await pictureOf(database, schema)
  await expect(installRoles(database, schema)).rejects.toMatchObject({
    code: 'role_privilege_missing',
    remedy: expect.stringContaining('CREATEROLE'),
    details: { user, schema },
  })
  expect(await pictureOf(database, schema)).toEqual(before)
  const own = storeOn(database, schema)
  await worksOneJob(own, own)
})

it('who does not own the schema is told so, also with the right to create roles', async () => {
  const { schema } = await freshStore('postgres', { ownName: true })
  const user = await makeUser()
  await open(postgresUrl()).script(`alter role ${user} createrole`)
  await expect(installRoles(open(urlOf({ user })), schema)).rejects.toMatchObject({
    code: 'role_privilege_missing',
  })
  await expect(installRoles(open(), 'not_there')).rejects.toMatchObject({ code: 'schema_missing' })
})

it('an owner role that could log in or pass over row-level security is refused', async () => {
  const store = await freshStore('postgres', { ownName: true })
  onTestFinished(() => open().script(`drop role ${roleName('owner', store.schema)}`))
  await store.database.script(`create role ${roleName('owner', store.schema)} nologin bypassrls`)
  await expect(installRoles(store.database, store.schema)).rejects.toThrow(
    'does not bypass row-level security',
  )
})

it('a migration of a sealed schema leaves what it makes to the owner, closed to everybody else', async () => {
  const store = await sealedStore()
  const before = await pictureOf(store.database, store.schema)
  await store.database.script(
    `update holdfast.code set hash = 'old'; drop function holdfast.boost; drop view holdfast.items`,
  )
  await migrateUp(store.database, store.schema)
  expect(await pictureOf(store.database, store.schema)).toEqual(before)
  await worksOneJob(await login(store, 'producer', ['default']), await login(store, 'worker', ['default']))
})

it('a sealed schema whose roles are of another version gets the present ones', async () => {
  const store = await sealedStore()
  await store.database.script(`comment on table holdfast.tenant_grant is 'roles old';
    grant select on holdfast.job to ${roleName('reader', store.schema)}`)
  const [reader] = [await login(store, 'reader', ['*'])]
  await expect(reader.database.query('select from holdfast.job')).resolves.toEqual([])
  expect(await migrateUp(store.database, store.schema)).toMatchObject({ applied: [] })
  await expect(reader.database.query('select from holdfast.job')).rejects.toMatchObject({ code: 'forbidden' })
})

it('the script printed for a sealed schema seals it again', async () => {
  const store = await sealedStore()
  expect(await migrationSql(store.database, store.schema)).toBe('-- The schema is up to date.\n')
  await store.database.script(`update holdfast.code set hash = 'old'; drop function holdfast.boost`)
  const before = await pictureOf(store.database, store.schema)
  const script = await migrationSql(store.database, store.schema)
  expect(script).toContain(rolesSql(store.schema))
  await open().script(script)
  expect(await migrationStatus(store.database, store.schema)).toMatchObject({ functions: 'current' })
  const server = await login(store, 'server', [])
  await expect(server.commands.boost(1, 5)).rejects.toMatchObject({ code: 'unknown_job' })
  expect(await pictureOf(store.database, store.schema)).toEqual(expect.arrayContaining(before as unknown[]))
})

it('somebody who is not the owner may see that nothing is to be done, and may not do what is', async () => {
  const store = await sealedStore()
  const worker = await login(store, 'worker', ['default'])
  const raw = open(urlOf({ user: worker.user }))
  expect(await migrateUp(raw, store.schema)).toMatchObject({ functions: 'current', applied: [] })
  await store.database.query(`update holdfast.code set hash = 'old'`)
  await expect(migrateUp(raw, store.schema)).rejects.toMatchObject({
    code: 'role_privilege_missing',
    details: { user: worker.user },
  })
})
