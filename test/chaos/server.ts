/** The run's own Postgres: durable, restarted in every way there is, gone with us. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { type EmbeddedPostgres, startEmbedded } from 'holdfast/embedded'
import pg from 'pg'
import { allGone, familyOf, killAll, killOrphans, monotonic } from './processes.js'

const SETTINGS = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  max_connections: '200',
  deadlock_timeout: '200ms',
  // A lock that is held must not make the statements that wait for it count as hanging.
  log_lock_waits: 'on',
}

/** Ends the server and removes the folder when we are gone, however we went. Plain text: it runs without files of ours. */
const WATCHDOG = `
const { readFileSync, rmSync } = require('node:fs')
const pids = new Set()
let file
let text = ''
process.stdin.on('data', (chunk) => {
  text += chunk
  const lines = text.split('\\n')
  text = lines.pop()
  for (const line of lines) {
    if (line.startsWith('+')) pids.add(Number(line.slice(1)))
    else if (line.startsWith('-')) pids.delete(Number(line.slice(1)))
    else file = line
  }
})
process.stdin.on('end', act).on('error', act)
function act() {
  for (const pid of pids) end(pid, 'SIGKILL')
  if (file) {
    try { end(Number(readFileSync(file, 'utf8').split('\\n')[0]), 'SIGQUIT') } catch {}
    setTimeout(() => {
      rmSync(process.argv[1], { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
      process.exit(0)
    }, 1000)
  } else process.exit(0)
}
function end(pid, name) { try { process.kill(pid, name) } catch {} }
`

export interface Watchdog {
  watch(pid: number): void
  forget(pid: number): void
  /** Nothing is left to do. */
  dismiss(): void
}

function startWatchdog(folder: string, pidFile: string): Watchdog {
  const child = spawn(process.execPath, ['-e', WATCHDOG, folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  child.unref()
  child.stdin.on('error', () => {})
  ;(child.stdin as unknown as { unref?: () => void }).unref?.()
  child.stdin.write(`${pidFile}\n`)
  return {
    watch: (pid) => void child.stdin.write(`+${pid}\n`),
    forget: (pid) => void child.stdin.write(`-${pid}\n`),
    dismiss: () => void child.kill(),
  }
}

/** `power cut`: every process of the server is gone at once, and what was not written to the disk with it. */
type Restart = 'fast' | 'immediate' | 'crash' | 'power cut'

export class PrivateServer {
  readonly #dir: string
  readonly #settings: Record<string, string>
  readonly watchdog: Watchdog
  #server: EmbeddedPostgres
  #restarting: Promise<void> = Promise.resolve()
  #client: Promise<pg.Client> | undefined
  #asking: Promise<unknown> = Promise.resolve()
  restarts = 0
  #frozen: number | undefined

  private constructor(
    dir: string,
    settings: Record<string, string>,
    server: EmbeddedPostgres,
    watchdog: Watchdog,
  ) {
    this.#dir = dir
    this.#settings = settings
    this.#server = server
    this.watchdog = watchdog
  }

  static async start(folder: string, given: Record<string, string> = {}): Promise<PrivateServer> {
    const dir = join(folder, 'pg')
    const settings = { ...SETTINGS, ...given }
    const server = await startEmbedded({ dir, settings, stopOnExit: false })
    return new PrivateServer(
      dir,
      settings,
      server,
      startWatchdog(folder, join(server.dataDir, 'postmaster.pid')),
    )
  }

  get url(): string {
    return this.#server.url
  }

  get port(): number {
    return Number(new URL(this.#server.url).port)
  }

  /** From now on WAL reaches the disk only with a commit that waits for it; until the server is restarted. */
  async freezeWalWriter(): Promise<void> {
    const [row] = await this.rows<{ pid: number }>(
      "select pid from pg_stat_activity where backend_type = 'walwriter'",
    )
    if (row === undefined) throw new Error('this server has no WAL writer')
    process.kill(row.pid, 'SIGSTOP')
    this.#frozen = row.pid
  }

  /** One restart at a time; they queue up. */
  restart(how: Restart): Promise<void> {
    this.#restarting = this.#restarting.then(() => this.#restart(how))
    return this.#restarting
  }

  async #restart(how: Restart): Promise<void> {
    this.restarts += 1
    if (how === 'crash') {
      // One process dies of kill -9, and the server brings all others down and recovers by itself. One that is frozen would keep it waiting.
      // The server notices a moment later; until then it commits, and forgets that again. So a second connection is waited for, which it ends.
      const [victim, witness] = [await this.connect(), await this.connect()]
      const ended = new Promise((resolve) => witness.once('end', resolve))
      const { rows } = await victim.query('select pg_backend_pid() as pid')
      process.kill(this.#frozen ?? rows[0].pid, 'SIGKILL')
      await ended
      await victim.end().catch(() => {})
      // From here on it takes no new connection until it has recovered, while an old one may still answer for a moment.
      this.#client?.then((client) => client.end()).catch(() => {})
      this.#client = undefined
    } else {
      if (how === 'immediate') process.kill(this.#server.pid, 'SIGQUIT')
      if (how === 'power cut') killAll(familyOf(this.#server.pid))
      await this.#server.stop()
      await killOrphans(this.#server.dataDir)
      this.#server = await startEmbedded({ dir: this.#dir, settings: this.#settings, stopOnExit: false })
    }
    this.#frozen = undefined
    await this.rows('select 1')
  }

  /**
   * kill -9 of all its processes at once: by `cut`, which is given them, or after it. With `frozen` nothing has been flushed since then that no commit waited for.
   * Answers when it was, by the clock of all processes.
   */
  powerCut(frozen: boolean, cut: (pids: readonly number[]) => Promise<unknown>): Promise<number> {
    const restarted = this.#restarting.then(() => this.#powerCut(frozen, cut))
    this.#restarting = restarted.then(
      () => {},
      () => {},
    )
    return restarted
  }

  async #powerCut(frozen: boolean, cut: (pids: readonly number[]) => Promise<unknown>): Promise<number> {
    this.restarts += 1
    if (frozen) await this.freezeWalWriter()
    const known = familyOf(this.#server.pid)
    try {
      await cut(known)
    } catch (error) {
      if (this.#frozen !== undefined) process.kill(this.#frozen, 'SIGCONT')
      this.#frozen = undefined
      throw error
    }
    killAll(known)
    const at = monotonic()
    const all = [...known, ...familyOf(this.#server.pid)]
    killAll(all)
    await allGone(all)
    await this.#server.stop()
    await killOrphans(this.#server.dataDir)
    this.#server = await startEmbedded({ dir: this.#dir, settings: this.#settings, stopOnExit: false })
    this.#frozen = undefined
    await this.rows('select 1')
    return at
  }

  /** A connection of its own, past all wires. */
  async connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.url, application_name: 'chaos' })
    client.on('error', () => {})
    await client.connect()
    return client
  }

  /** Asks the server itself, one question at a time; while it restarts, again and again. */
  rows<Row = Record<string, unknown>>(text: string, values: unknown[] = []): Promise<Row[]> {
    const answer = this.#asking.then(() => this.#ask<Row>(text, values))
    this.#asking = answer.catch(() => {})
    return answer
  }

  async #ask<Row>(text: string, values: unknown[]): Promise<Row[]> {
    const until = performance.now() + 60_000
    for (;;) {
      try {
        this.#client ??= this.connect()
        return (await (await this.#client).query(text, values)).rows as Row[]
      } catch (error) {
        const { code = '' } = error as { code?: string }
        const isAway = code === '' || /^(57P|08|E)/.test(code)
        if (!isAway || performance.now() > until) throw error
        const old = this.#client
        this.#client = undefined
        old?.then((client) => client.end()).catch(() => {})
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }
  }

  async stop(): Promise<void> {
    await this.#restarting.catch(() => {})
    await (await this.#client?.catch(() => undefined))?.end().catch(() => {})
    await this.#server.stop()
    this.watchdog.dismiss()
  }
}
