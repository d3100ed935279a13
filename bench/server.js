// One private Postgres for everybody, durable, with the same settings for all. Each sample gets a database of its own, made
// before and dropped after, so that nobody drains through another's dead rows.
import pg from 'pg'
import { startEmbedded } from '../dist/embedded.js'

/** Set once for all systems. Checkpoints are asked for before each sample, so that none falls into some samples only. */
export const SETTINGS = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  shared_buffers: '2GB',
  max_wal_size: '16GB',
  checkpoint_timeout: '1h',
  max_connections: '150',
}

export async function startServer() {
  // Ephemeral: it dies with us, however we end. Its settings for throw-away data are overridden by ours.
  const postgres = await startEmbedded({ ephemeral: true, settings: SETTINGS })
  const admin = new pg.Client({ connectionString: postgres.url })
  admin.on('error', () => {})
  await admin.connect()
  const version = (await admin.query('show server_version')).rows[0].server_version
  const settings = await inForce(admin)
  let made = 0

  return {
    version,
    settings,
    pid: postgres.pid,
    query: async (text, values) => (await admin.query(text, values)).rows,
    /** A new empty database: its name and address. */
    async createDatabase() {
      made += 1
      const name = `bench_${made}`
      await admin.query(`create database ${name}`)
      const url = new URL(postgres.url)
      url.pathname = `/${name}`
      return { name, url: url.href }
    },
    async dropDatabase({ name }) {
      await admin.query(`drop database if exists ${name} with (force)`)
    },
    checkpoint: () => admin.query('checkpoint'),
    async stop() {
      await admin.end()
      await postgres.stop()
    },
  }
}

/** What the server says it runs with, which is what the results record. */
async function inForce(admin) {
  const { rows } = await admin.query(
    'select name, current_setting(name) as value from pg_settings where name = any ($1)',
    [[...Object.keys(SETTINGS), 'autovacuum', 'wal_level', 'data_checksums']],
  )
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]))
}

/** A connection to a sample's own database, for questions outside of what is measured. */
export async function connectTo({ url }) {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  return client
}
