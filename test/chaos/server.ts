/** The run's own Postgres: durable, restarted in every way there is, gone with us. */
import { execFileSync, spawn } from 'node:child_process'
import { join } from 'node:path'
import { type EmbeddedPostgres, startEmbedded } from 'holdfast/embedded'
import pg from 'pg'

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

/** The children first are listed, because without their parent nobody could tell whose they were. */
function killAll(postmaster: number): void {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
  const children = rows
    .map((row) => row.trim().split(/\s+/).map(Number))
    .filter(([, parent]) => parent === postmaster)
  for (const pid of [postmaster, ...children.map(([child]) => child as number)]) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}

export class PrivateServer {
  readonly #dir: string
  readonly watchdog: Watchdog
  #server: EmbeddedPostgres
  #restarting: Promise<void> = Promise.resolve()
  #client: Promise<pg.Client> | undefined
  #asking: Promise<unknown> = Promise.resolve()
  restarts = 0
  #frozen: number | undefined

  private constructor(dir: string, server: EmbeddedPostgres, watchdog: Watchdog) {
    this.#dir = dir
    this.#server = server
    this.watchdog = watchdog
  }

  static async start(folder: string): Promise<PrivateServer> {
    const dir = join(folder, 'pg')
    const server = await startEmbedded({ dir, settings: SETTINGS, stopOnExit: false })
    return new PrivateServer(dir, server, startWatchdog(folder, join(server.dataDir, 'postmaster.pid')))
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
      const victim = await this.connect()
      const { rows } = await victim.query('select pg_backend_pid() as pid')
      process.kill(this.#frozen ?? rows[0].pid, 'SIGKILL')
      await victim.end().catch(() => {})
    } else {
      if (how === 'immediate') process.kill(this.#server.pid, 'SIGQUIT')
      if (how === 'power cut') killAll(this.#server.pid)
      await this.#server.stop()
      this.#server = await startEmbedded({ dir: this.#dir, settings: SETTINGS, stopOnExit: false })
    }
    this.#frozen = undefined
    await this.rows('select 1')
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
