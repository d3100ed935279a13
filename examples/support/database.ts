/** The database of an example: the one of DATABASE_URL, or an embedded one in the folder of the example. */
import { join } from 'node:path'
import { startEmbedded } from 'holdfast/embedded'
import { openPostgres } from 'holdfast/store'
import type { ExampleOptions } from './example.js'

export interface ExampleDatabase {
  readonly url: string
  readonly schema: string
  /** For workers in processes of their own: `connection()` finds the database by these. */
  readonly env: Readonly<Record<string, string>>
  stop(): Promise<void>
}

/** Empties the schema that is named after the example, unless the run is to be continued; a schema that you name stays as it is. */
export async function openDatabase(name: string, options: ExampleOptions): Promise<ExampleDatabase> {
  const { databaseUrl, out, keep } = options
  const embedded = databaseUrl === undefined ? await startEmbedded({ dir: join(out, 'pg') }) : undefined
  const url = databaseUrl ?? (embedded?.url as string)
  const schema = options.schema ?? `example_${name.replaceAll('-', '_')}`
  if (options.schema === undefined && !keep) await dropSchema(url, schema)
  return {
    url,
    schema,
    env: { DATABASE_URL: url, HOLDFAST_SCHEMA: schema },
    stop: async () => embedded?.stop(),
  }
}

async function dropSchema(url: string, schema: string): Promise<void> {
  const database = openPostgres({ url, connections: 1 })
  try {
    await database.script(`set client_min_messages = warning; drop schema if exists "${schema}" cascade`)
  } finally {
    await database.close()
  }
}

/** In a worker process: the database that the example has started it for. */
export function connection(): { url: string; schema: string } {
  const { DATABASE_URL: url, HOLDFAST_SCHEMA: schema } = process.env
  if (url === undefined || schema === undefined)
    throw new Error('DATABASE_URL and HOLDFAST_SCHEMA are not set: this program is started by its example')
  return { url, schema }
}
