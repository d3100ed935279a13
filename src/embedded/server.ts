// One postgres process: starts it on a free port, waits until it is ready, and stops it without losing data.
import { spawn } from 'node:child_process'
import { closeSync, constants, fstatSync, lstatSync, readSync, renameSync } from 'node:fs'
import { createServer } from 'node:net'
import type { Account } from './account.js'
import type { Binaries } from './binaries.js'
import { spawnOptions } from './child.js'
import { tail } from './cluster.js'
import { EmbeddedFailed } from './errors.js'
import { openPlain } from './plain-file.js'
import { livePostmaster, type Postmaster } from './postmaster.js'
import { markOf, type ProcessMark, signal, waitUntilGone } from './process.js'

const LOG_BYTES_MAX = 10 * 1024 * 1024
/** Recovery after a crash replays up to max_wal_size of log before the server is ready. */
const READY_WITHIN_MS = 120_000
const PORT_TRIES = 5
/** The previous server's port becomes free after a moment. */
const PORT_WAIT_MS = 200
/** Backends of a killed postmaster notice within moments; until they are gone Postgres rightly refuses to start. */
const ORPHANS_WITHIN_MS = 15_000

export interface Launch {
  binaries: Binaries
  account: Account | undefined
  dataDir: string
  logFile: string
  settings: Record<string, string>
  /** Tried first, so that an address a user noted keeps working. */
  port?: number | undefined
  /** Fail instead of using another port. */
  samePort?: boolean
  onSpawn?: (pid: number) => void
}

export async function launch(options: Launch): Promise<Postmaster> {
  const orphansUntil = Date.now() + ORPHANS_WITHIN_MS
  const same = options.samePort ? options.port : undefined
  let port = same ?? (await freePort(options.port))
  for (let tries = 1; ; ) {
    const outcome = await launchOnce(options, port)
    if (typeof outcome !== 'string') return outcome
    if (/could not bind|could not create any TCP\/IP sockets/.test(outcome) && tries < PORT_TRIES) {
      tries += 1
      if (same === undefined) port = await freePort()
      else await pause(PORT_WAIT_MS)
    } else if (/pre-existing shared memory block/.test(outcome) && Date.now() < orphansUntil) {
      await pause(100)
    } else {
      throw new EmbeddedFailed(
        `Postgres did not start on ${options.dataDir}. The end of its log:\n${tail(outcome) || '(empty)'}`,
        `Read ${options.logFile}, correct the cause it names, and start again.`,
      )
    }
  }
}

/** The postmaster when ready, or what it wrote to its log before it ended. */
async function launchOnce(options: Launch, port: number): Promise<Postmaster | string> {
  const { binaries, account, dataDir, logFile, settings } = options
  rotate(logFile)
  const log = openPlain(logFile, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT)
  const logStart = fstatSync(log).size
  const fixed = { listen_addresses: '127.0.0.1', port: String(port), unix_socket_directories: '' }
  const args = Object.entries({ ...settings, ...fixed }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  // Its own session: Ctrl-C in a terminal must reach the owner, who stops the server after its work is put away.
  const child = spawn(binaries.postgres, ['-D', dataDir, ...args], {
    ...spawnOptions(binaries.postgres, account),
    stdio: ['ignore', log, log],
    detached: true,
  })
  const end: { reason?: string } = {}
  child.on('error', (error) => {
    end.reason = error.message
  })
  child.on('exit', () => {
    end.reason ??= ''
  })
  child.unref()
  if (child.pid) options.onSpawn?.(child.pid)
  try {
    const deadline = Date.now() + READY_WITHIN_MS
    while (end.reason === undefined && Date.now() < deadline) {
      const postmaster = livePostmaster(dataDir)
      if (postmaster?.status === 'ready' && postmaster.pid === child.pid) return postmaster
      await pause(10)
    }
    if (child.pid && end.reason === undefined) await stopServer(markOf(child.pid), 'fast')
    return readFrom(log, logStart) + (end.reason ?? '')
  } finally {
    closeSync(log)
  }
}

/** The end of the log, read from the opened file, whatever its name leads to by now. */
function readFrom(log: number, start: number): string {
  const size = Math.min(fstatSync(log).size - start, LOG_BYTES_MAX)
  const text = Buffer.alloc(Math.max(size, 0))
  return text.subarray(0, readSync(log, text, 0, text.length, start)).toString('utf8')
}

/** Waits for a server that another process started; undefined when it ends instead. */
export async function waitUntilReady(dataDir: string): Promise<Postmaster | undefined> {
  const deadline = Date.now() + READY_WITHIN_MS
  for (;;) {
    const postmaster = livePostmaster(dataDir)
    if (!postmaster || postmaster.status === 'ready') return postmaster
    if (Date.now() > deadline) {
      await stopServer(postmaster, 'fast')
      return undefined
    }
    await pause(20)
  }
}

/**
 * fast: sessions are cut, everything is written, the next start needs no recovery. Each later step is harsher and still
 * loses no committed work. immediate: for data that is thrown away.
 */
export async function stopServer(server: ProcessMark, how: 'fast' | 'immediate'): Promise<void> {
  const steps = [
    ['SIGINT', 30_000],
    ['SIGQUIT', 10_000],
    ['SIGKILL', 10_000],
  ] as const
  for (const [name, withinMs] of steps.slice(how === 'fast' ? 0 : 1)) {
    signal(server, name)
    if (await waitUntilGone(server, withinMs)) return
  }
  throw new EmbeddedFailed(
    `Postgres (pid ${server.pid}) did not end`,
    `Check what process ${server.pid} waits for.`,
  )
}

/** Another process may take the port before it is used; launch() then picks another. */
function freePort(preferred = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.on('error', (error) => (preferred ? resolve(freePort()) : reject(error)))
    probe.listen({ host: '127.0.0.1', port: preferred }, () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

function rotate(logFile: string): void {
  const size = lstatSync(logFile, { throwIfNoEntry: false })?.size ?? 0
  if (size > LOG_BYTES_MAX) renameSync(logFile, `${logFile}.1`)
}

const pause = (ms: number): Promise<void> => new Promise((wake) => setTimeout(wake, ms))
