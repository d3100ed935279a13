/** A store with the roles installed, and connections of users who have nothing but one of them. */
import { randomBytes } from 'node:crypto'
import {
  type Database,
  installRoles,
  openPostgres,
  ROLES,
  type Role,
  roleName,
  type Store,
  storeOn,
} from 'holdfast/store'
import { onTestFinished } from 'vitest'
import { urlOf } from '../databases.js'
import { pinnedStore, postgresUrl, type World, withTestSql } from '../world.js'

export interface Login extends Store {
  readonly user: string
  /** One call in a transaction with the tenant chosen, as it must be through a transaction pooler. */
  choosing<Row>(tenant: string | undefined, text: string, values?: readonly unknown[]): Promise<Row[]>
}

/** The clock stands still; the world's own connection is the superuser's. */
export async function sealedStore(): Promise<World> {
  let schema = ''
  // Said first, so that it is done last: roles can go when nothing is theirs any more.
  onTestFinished(async ({ task }) => {
    if (task.result?.state !== 'fail') await dropRoles(schema)
  })
  const store = await pinnedStore('postgres', { ownName: true })
  schema = store.schema
  await installRoles(store.database, schema)
  return store
}

/** A user who is a member of one role and may act for these tenants. */
export async function login(
  store: Store,
  role: Role | readonly Role[],
  tenants: readonly string[],
): Promise<Login> {
  const roles = [role].flat()
  const user = `${store.schema}_${roles[0] ?? 'nobody'}_${randomBytes(3).toString('hex')}`
  await store.database.script(`create role ${user} login password '${user}'`)
  for (const each of roles) await store.database.script(`grant ${roleName(each, store.schema)} to ${user}`)
  for (const tenant of tenants)
    await store.database.query('select holdfast.grant_tenant($1, $2)', [user, tenant])
  const raw = openPostgres({ url: urlOf({ user }), connections: 2 })
  onTestFinished(async () => {
    await raw.close()
    await store.database.script(`drop owned by ${user}; drop role ${user}`)
  })
  const own = withTestSql(storeOn(raw, store.schema))
  return { ...own, user, choosing: (tenant, text, values) => choosing(own.database, tenant, text, values) }
}

function choosing<Row>(
  database: Database,
  tenant: string | undefined,
  text: string,
  values: readonly unknown[] = [],
) {
  return database.transaction(async (session) => {
    if (tenant !== undefined)
      await session.query("select set_config('holdfast_tenant.name', $1, true)", [tenant])
    return session.query<Row>(text, values)
  })
}

export async function dropRoles(schema: string): Promise<void> {
  const database = openPostgres({ url: postgresUrl(), connections: 1 })
  try {
    for (const role of [...ROLES, 'owner' as const]) {
      const name = roleName(role, schema)
      const [there] = await database.query('select from pg_roles where rolname = $1', [name])
      if (there !== undefined) await database.script(`drop owned by ${name}; drop role ${name}`)
    }
  } finally {
    await database.close()
  }
}
