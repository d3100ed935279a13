// The first connection: verifies address and password, and creates the database named in the url.
import pg from 'pg'
import { NAME } from './cluster.js'
import { EmbeddedFailed } from './errors.js'

export async function ensureDatabase(port: number, password: string): Promise<void> {
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
    user: NAME,
    password,
    database: 'postgres',
    connectionTimeoutMillis: 30_000,
    query_timeout: 30_000,
    // Set here so that PGSSLMODE, PGOPTIONS and PGCLIENTENCODING of the caller have no effect.
    ssl: false,
    options: '-c search_path=pg_catalog',
    client_encoding: 'UTF8',
  })
  try {
    await client.connect()
    const found = await client.query('select from pg_database where datname = $1', [NAME])
    if (found.rowCount === 0)
      await client.query(`create database ${NAME} owner ${NAME}`).catch(unlessItExists)
  } catch (cause) {
    throw new EmbeddedFailed(
      `Postgres runs on port ${port}, but refused the connection: ${(cause as Error).message}`,
      'Stop that server and start again; if it persists, delete connection.json to have the password set anew.',
      { cause },
    )
  } finally {
    await client.end()
  }
}

/** The same statement of an owner that was just killed may still be running; this one then waits for it and comes second. */
function unlessItExists(error: unknown): void {
  const { code } = error as { code?: string }
  if (code !== '23505' && code !== '42P04') throw error
}
