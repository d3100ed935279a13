/** A Postgres of the test's own that can crash as with a power cut of the server process: what it had not flushed is gone. */
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmbeddedPostgres, startEmbedded } from 'holdfast/embedded'
import { migrateUp, openPostgres, type Store, storeOn } from 'holdfast/store'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import { allGone, familyOf, killAll, killOrphans } from '../chaos/processes.js'
import { withTestSql } from './world.js'

const SETTINGS = {
  fsync: 'off',
  // Nobody but the one who is frozen, and who asks for it, flushes.
  checkpoint_timeout: '1h',
  autovacuum: 'off',
}

export class CrashingServer {
  readonly #dir: string
  #server: EmbeddedPostgres

  private constructor(dir: string, server: EmbeddedPostgres) {
    this.#dir = dir
    this.#server = server
  }

  /** Gone when the test ends. */
  static async start(): Promise<CrashingServer> {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-crash-'))
    chmodSync(folder, 0o711)
    const dir = join(folder, 'pg')
    const server = new CrashingServer(dir, await startEmbedded({ dir, settings: SETTINGS }))
    onTestFinished(async () => {
      // One that is frozen would not stop.
      await server.#kill()
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    })
    return server
  }

  get url(): string {
    return this.#server.url
  }

  async store(schema = 'holdfast'): Promise<Store> {
    const database = openPostgres({ url: this.url, connections: 2 })
    onTestFinished(() => database.close())
    await migrateUp(database, schema)
    return withTestSql(storeOn(database, schema, { notify: false }))
  }

  async rows<Row = Record<string, unknown>>(text: string, values: unknown[] = []): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.url })
    client.on('error', () => {})
    await client.connect()
    try {
      const all = [await client.query(text, values)].flat()
      return (all.at(-1)?.rows ?? []) as Row[]
    } finally {
      await client.end()
    }
  }

  /** From here on nothing is flushed unless a commit waits for it. */
  async freezeWalWriter(): Promise<void> {
    const [row] = await this.rows<{ pid: number }>(
      "select pid from pg_stat_activity where backend_type = 'walwriter'",
    )
    process.kill(row?.pid as number, 'SIGSTOP')
  }

  /** kill -9 of every process of the server, then a start that recovers. */
  async crash(): Promise<void> {
    await this.#kill()
    this.#server = await startEmbedded({ dir: this.#dir, settings: SETTINGS })
  }

  /** As a standby that takes over does: the same data on a new timeline. */
  async promote(): Promise<void> {
    await this.#server.stop()
    writeFileSync(join(this.#server.dataDir, 'recovery.signal'), '')
    chownSync(join(this.#server.dataDir, 'recovery.signal'), ...ownerOf(this.#server.dataDir))
    this.#server = await startEmbedded({
      dir: this.#dir,
      settings: { ...SETTINGS, restore_command: '/bin/false' },
    })
    const isOver = async () => (await this.rows('select 1 where not pg_is_in_recovery()')).length > 0
    while (!(await isOver()));
  }

  async #kill(): Promise<void> {
    const family = familyOf(this.#server.pid)
    killAll(family)
    await allGone(family)
    await this.#server.stop()
    await killOrphans(this.#server.dataDir)
  }
}

function ownerOf(path: string): [uid: number, gid: number] {
  const { uid, gid } = statSync(path)
  return [uid, gid]
}
