/** Databases and users of a test's own in the run's Postgres, for what a schema of its own cannot show. */
import { randomBytes } from 'node:crypto'
import { type Database, openPostgres } from 'holdfast/store'
import { onTestFinished } from 'vitest'
import { inDatabase } from './template.js'
import { postgresUrl } from './world.js'

/** Opens connections that are closed when the test ends. */
export function open(url = postgresUrl(), connections = 2): Database {
  const database = openPostgres({ url, connections })
  onTestFinished(() => database.close())
  return database
}

/** A user without any right of its own. */
export async function makeUser(): Promise<string> {
  const name = `u_${randomBytes(6).toString('hex')}`
  await once(`create role ${name} login password '${name}' nosuperuser nocreatedb nocreaterole`)
  onTestFinished(() => once(`drop role ${name}`))
  return name
}

/** A new database; `options` is what `create database` takes after the name. Make its owner first: it is dropped last. */
export async function makeDatabase(options = ''): Promise<string> {
  const name = `d_${randomBytes(6).toString('hex')}`
  await once(`create database ${name} ${options}`)
  onTestFinished(() => once(`drop database ${name} with (force)`))
  return urlOf({ database: name })
}

export function urlOf(
  { database, user }: { database?: string; user?: string },
  from = postgresUrl(),
): string {
  const url = new URL(database === undefined ? from : inDatabase(from, database))
  if (user !== undefined) {
    url.username = user
    url.password = user
  }
  return url.href
}

async function once(statement: string): Promise<void> {
  const database = openPostgres({ url: postgresUrl(), connections: 1 })
  try {
    await database.script(statement)
  } finally {
    await database.close()
  }
}
