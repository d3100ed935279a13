/** The process that serves HTTP: on one port for the whole run, back again when it was killed. */
import { type ChildProcess, fork } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Watchdog } from './server.js'

const RESPAWN_MS = 150

export class HttpServer {
  readonly #parts: { folder: string; watchdog: Watchdog; url: () => string }
  #child: ChildProcess | undefined
  #stopping = false
  port = 0
  killed = 0

  constructor(parts: { folder: string; watchdog: Watchdog; url: () => string }) {
    this.#parts = parts
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** Resolves when it listens. */
  start(): Promise<void> {
    const { folder, watchdog, url } = this.#parts
    const log = openSync(join(folder, 'http.log'), 'a')
    const file = fileURLToPath(new URL('./http-program.js', import.meta.url))
    const setup = JSON.stringify({ url: url(), port: this.port })
    const child = fork(file, [setup], { execArgv: [], stdio: ['ignore', log, log, 'ipc'] })
    closeSync(log)
    this.#child = child
    watchdog.watch(child.pid as number)
    child.on('error', () => {})
    child.once('exit', () => {
      watchdog.forget(child.pid as number)
      if (!this.#stopping && this.port !== 0)
        setTimeout(() => this.#stopping || void this.start().catch(() => {}), RESPAWN_MS)
    })
    return new Promise((resolve, reject) => {
      child.once('message', ({ port }: { port: number }) => {
        this.port = port
        resolve()
      })
      child.once('exit', (code) => reject(new Error(`the HTTP server ended at once, with code ${code}`)))
    })
  }

  kill(): void {
    this.killed += 1
    this.#child?.kill('SIGKILL')
  }

  stop(): void {
    this.#stopping = true
    this.#child?.kill('SIGKILL')
  }
}
