// One private Postgres for everybody, durable, with the same settings for all. Each sample gets a database of its own, made
// before and dropped after, so that nobody drains through another's dead rows.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

export async function startServer({ dir } = {}) {
  const home = dir ?? mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
  const postgres = await startEmbedded({ dir: home, settings: SETTINGS })
  const admin = new pg.Client({ connectionString: postgres.url })
  admin.on('error', () => {})
  await admin.connect()
  const version = (await admin.query('show server_version')).rows[0].server_version
  let made = 0

  return {
    version,
    settings: SETTINGS,
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
      if (dir === undefined) rmSync(home, { recursive: true, force: true })
    },
  }
}

/** A connection to a sample's own database, for questions outside of what is measured. */
export async function connectTo({ url }) {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  return client
}
