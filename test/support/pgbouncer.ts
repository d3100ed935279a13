/**
 * A pgbouncer of the run's own in transaction mode, as many people have one between their programs and Postgres: each transaction
 * gets whichever connection is free. Few connections, taken in turn, so that what one client leaves behind in a session meets the next.
 */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { accountForNewData } from '../../src/embedded/account.js'
import { startWatchdog } from '../../src/embedded/watchdog.js'

export const SERVER_CONNECTIONS = 12
const READY_WITHIN_MS = 60_000

export interface Pooler {
  readonly url: string
  stop(): Promise<void>
}

type Mode = 'transaction' | 'session'

/** Rejects with what to do where there is no pgbouncer and it cannot be installed. */
export async function startPgbouncer(postgresUrl: string, mode: Mode = 'transaction'): Promise<Pooler> {
  const program = findProgram()
  const account = accountForNewData()
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-pgbouncer-'))
  const watchdog = startWatchdog(folder)
  const port = await freePort()
  const files = {
    'pgbouncer.ini': settings(postgresUrl, folder, port, mode),
    'users.txt': users(postgresUrl),
  }
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(folder, name), text, { mode: 0o600 })
    if (account) await chown(join(folder, name), account.uid, account.gid)
  }
  await chmod(folder, 0o711)
  const child = spawn(program, ['--quiet', join(folder, 'pgbouncer.ini')], {
    ...account,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (bytes) => {
    said = `${said}${bytes}`.slice(-4000)
  })
  const gone = new Promise<void>((resolve) => child.on('exit', () => resolve()))
  if (child.pid !== undefined) watchdog.watch(child.pid)
  const stop = async () => {
    child.kill('SIGKILL')
    await gone
    await rm(folder, { recursive: true, force: true })
    watchdog.dismiss()
  }
  const url = new URL(postgresUrl)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  try {
    await untilReady(url.href, () => child.exitCode !== null)
  } catch (error) {
    await stop()
    throw new Error(`pgbouncer did not start: ${(error as Error).message}\n${said}`)
  }
  return { url: url.href, stop }
}

function findProgram(): string {
  const found = search()
  if (found !== undefined) return found
  try {
    execFileSync(fileURLToPath(new URL('../../scripts/provision', import.meta.url)), ['tests'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
  } catch (error) {
    throw new Error(
      `These tests need pgbouncer.\n${(error as { stderr?: Buffer }).stderr ?? (error as Error).message}`,
    )
  }
  const installed = search()
  if (installed === undefined) throw new Error('scripts/provision tests ran, and still there is no pgbouncer')
  return installed
}

/** Debian puts servers where only root's path leads. */
function search(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/sbin']
  return folders.map((folder) => join(folder, 'pgbouncer')).find((file) => existsSync(file))
}

function settings(postgresUrl: string, folder: string, port: number, mode: Mode): string {
  const server = new URL(postgresUrl)
  return `[databases]
* = host=127.0.0.1 port=${server.port} auth_user=${server.username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
pool_mode = ${mode}
default_pool_size = ${SERVER_CONNECTIONS}
max_client_conn = 1000
server_round_robin = 1
server_login_retry = 1
auth_type = scram-sha-256
auth_file = ${join(folder, 'users.txt')}
auth_query = select usename, passwd from pg_shadow where usename = $1
`
}

function users(postgresUrl: string): string {
  const { username, password } = new URL(postgresUrl)
  return `"${username}" "${decodeURIComponent(password)}"\n`
}

async function untilReady(url: string, isGone: () => boolean): Promise<void> {
  const until = performance.now() + READY_WITHIN_MS
  for (;;) {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.query('select')
      return
    } catch (error) {
      if (isGone() || performance.now() > until) throw error
      await new Promise((resolve) => setTimeout(resolve, 20))
    } finally {
      await client.end().catch(() => {})
    }
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.on('error', reject)
    probe.listen({ host: '127.0.0.1', port: 0 }, () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}
