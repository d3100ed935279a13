/**
 * Finds the database that the environment names, and decides whether an embedded one may be started if it names none. A program that is
 * meant to use your Postgres must not start with an empty embedded database because a variable is missing or misspelt.
 */
import { nearest } from '../domain/nearest.js'
import { ConfigError } from './error.js'

export type Environment = Readonly<Record<string, string | undefined>>

/** The address in DATABASE_URL, HOLDFAST_DATABASE_URL or the variables of libpq; undefined when none of them is set. */
export function databaseUrlIn(env: Environment): { readonly url: string; readonly name: string } | undefined {
  for (const name of ['DATABASE_URL', 'HOLDFAST_DATABASE_URL']) {
    const url = env[name]
    // `DATABASE_URL=` in an .env file means: none.
    if (url) return { url, name }
  }
  return env.PGHOST ? { url: urlFromPg(env, env.PGHOST), name: 'PGHOST' } : undefined
}

/** Builds one address from the variables of libpq. A host that is a path is the folder of a Unix socket. */
function urlFromPg(env: Environment, host: string): string {
  const socket = host.startsWith('/')
  const url = new URL(`postgres://${socket ? 'localhost' : host.includes(':') ? `[${host}]` : host}`)
  url.port = env.PGPORT ?? ''
  url.username = encodeURIComponent(env.PGUSER ?? '')
  url.password = encodeURIComponent(env.PGPASSWORD ?? '')
  url.pathname = `/${encodeURIComponent(env.PGDATABASE ?? env.PGUSER ?? '')}`
  if (socket) url.searchParams.set('host', host)
  if (env.PGSSLMODE) url.searchParams.set('sslmode', env.PGSSLMODE)
  if (env.PGSSLROOTCERT) url.searchParams.set('sslrootcert', env.PGSSLROOTCERT)
  return url.href
}

/** Checks a command that neither names a database nor requests an embedded one. `ask` is how to request one, for the remedy. */
export function refuseUnnamedDatabase(env: Environment, ask: string): void {
  const near = nearMiss(env)
  if (near !== undefined)
    throw new ConfigError(
      `No database is named: ${near} is set, and Holdfast reads DATABASE_URL.`,
      `Set DATABASE_URL to what ${near} has. To have a database started here all the same: ${ask}.`,
    )
  if (env.NODE_ENV === 'production')
    throw new ConfigError(
      'No database is named, and with NODE_ENV=production none is started by itself.',
      `Set DATABASE_URL to your Postgres. To have a database started here all the same: ${ask}.`,
    )
}

const OTHER_NAMES =
  /^(DATABASE|DB|PG|POSTGRES|POSTGRESQL|POSTGRE)_?(PRISMA_|PRIVATE_|PUBLIC_|INTERNAL_|POOL_|POOLED_)?(URL|URI|DSN|ADDRESS|CONNECTION|CONNECTION_?(STRING|URL|URI)|CONN_?STR)(_NON_POOLING|_UNPOOLED)?$/
const OTHER_SYSTEM = /^(?!postgres(ql)?:)[a-z][a-z0-9+.-]*:\/\//i

/** A variable that has the address of a Postgres, but is not one that we read. */
function nearMiss(env: Environment): string | undefined {
  return Object.keys(env).find((name) => {
    const value = env[name]
    if (!value || OTHER_SYSTEM.test(value)) return false
    return OTHER_NAMES.test(name.toUpperCase()) || (/^postgres(ql)?:\/\//i.test(value) && isMisspelt(name))
  })
}

/** One or two letters away from DATABASE_URL. TEST_DATABASE_URL is a different variable. */
function isMisspelt(name: string): boolean {
  const lengths = Math.abs(name.length - 'DATABASE_URL'.length)
  return name !== 'DATABASE_URL' && lengths <= 2 && nearest(name, ['DATABASE_URL']) !== null
}
