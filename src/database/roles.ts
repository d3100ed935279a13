/**
 * Installs sql/roles.sql in a schema: roles for producers, workers, operators, readers and the server, each restricted to its verbs, and row
 * security between tenants. Optional: it needs the right to create roles, which not every managed database grants.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { holdfastError } from '../domain/errors/errors.js'
import { type Database, DEADLINES, type Session } from './database.js'
import { checkSchemaName, inSchema } from './schema.js'

export const ROLES = ['producer', 'worker', 'operator', 'reader', 'server'] as const
export type Role = (typeof ROLES)[number]

const LOCK_TIMEOUT_MS = 2_000

/** Roles belong to the whole server, so their names contain the schema's. */
export function roleName(role: Role | 'owner', schema: string): string {
  return `${schema}_${role}`
}

/** The script for a database owner to apply, in one transaction. */
export function rolesSql(schema: string): string {
  checkSchemaName(schema)
  const { text, hash } = source()
  const names = new RegExp(`\\bholdfast_(owner|${ROLES.join('|')})\\b`, 'g')
  // Written by the owner, like everything else in the schema.
  const signature = `comment on table ${schema}.tenant_grant is 'roles ${hash}';\nreset role;\n`
  return inSchema(text, schema).replace(names, `${schema}_$1`) + signature
}

/** The installed roles of a schema. */
export interface RolesInstalled {
  readonly owner: string
  /** Installed from this very text. */
  readonly current: boolean
}

/** Undefined when no roles are installed. Read from the catalog, which every role may read. */
export async function rolesInstalled(session: Session, schema: string): Promise<RolesInstalled | undefined> {
  const [row] = await session.query<{ owner: string; comment: string | null }>(
    `select quote_ident(pg_get_userbyid(n.nspowner)) as owner, obj_description(c.oid, 'pg_class') as comment
     from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1 and c.relname = 'tenant_grant'`,
    [schema],
  )
  return row === undefined
    ? undefined
    : { owner: row.owner, current: row.comment === `roles ${source().hash}` }
}

/** Acts as the owner of a sealed schema until the transaction ends, so that new objects belong to that role. */
export async function actAsOwner(session: Session, schema: string, { owner }: RolesInstalled): Promise<void> {
  await refusing(session, schema, () => session.script(`set local role ${owner}`))
}

/** Safe to repeat; `migrateUp` calls it wherever roles are installed. */
export async function installRoles(database: Database, schema: string): Promise<void> {
  checkSchemaName(schema)
  await database.transaction(
    async (session) => {
      await session.query("select pg_advisory_xact_lock(hashtextextended('holdfast migration ' || $1, 0))", [
        schema,
      ])
      // Each table is locked for a moment; a long wait for one would block every query behind it.
      await session.script(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
      await checkReady(session, schema)
      await refusing(session, schema, () => session.script(rolesSql(schema)))
    },
    { deadlineMs: DEADLINES.migration },
  )
}

async function checkReady(session: Session, schema: string): Promise<void> {
  const [facts] = await session.query<{ there: boolean; ready: boolean; may: boolean; user: string }>(
    `select n.oid is not null as there, current_user as user,
       exists (select from pg_proc p where p.pronamespace = n.oid and p.proname = 'visible_tenants') as ready,
       u.rolsuper or pg_has_role(n.nspowner, 'member') and (u.rolcreaterole
         or not exists (select from unnest($2::text[]) r where not exists (select from pg_roles where rolname = r))) as may
     from pg_roles u left join pg_namespace n on n.nspname = $1 where u.rolname = current_user`,
    [schema, [...ROLES, 'owner' as const].map((role) => roleName(role, schema))],
  )
  if (facts?.there !== true) throw holdfastError('schema_missing', { schema })
  if (!facts.ready) throw holdfastError('schema_behind', { schema })
  if (!facts.may) throw holdfastError('role_privilege_missing', { schema, user: facts.user })
}

async function refusing(session: Session, schema: string, work: () => Promise<void>): Promise<void> {
  const [row] = await session.query<{ user: string }>('select current_user as user')
  try {
    await work()
  } catch (error) {
    if ((error as { code?: string }).code !== '42501') throw error
    const problem = (error as Error).message
    throw holdfastError('role_privilege_missing', { schema, user: row?.user, problem }, { cause: error })
  }
}

function source(): { text: string; hash: string } {
  const text = readFileSync(new URL('../../sql/roles.sql', import.meta.url), 'utf8')
  return { text, hash: createHash('sha256').update(text).digest('hex') }
}
