/** Worker processes of a test: started, listened to, and killed when it ends. */
import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Store } from 'holdfast/store'
import { onTestFinished } from 'vitest'
import type { HandlerEntry } from '../../../src/worker/handlers.js'
import type { EndedAttempt, WorkerOptions, WorkerStats } from '../../../src/worker/worker-options.js'
import { postgresUrl } from '../../support/world.js'
import { until } from '../world.js'

const root = fileURLToPath(new URL('../../..', import.meta.url))

export interface Said {
  ready?: string
  began?: number
  hogs?: number
  attempt?: number
  aborted?: number
  threw?: number
  code?: string
  name?: string
  ended?: EndedAttempt
  stats?: WorkerStats
  drained?: unknown
}

export interface WorkerProcess {
  readonly process: ChildProcess
  readonly pid: number
  /** The worker's name. */
  readonly worker: string
  /** Everything it said, in order. */
  readonly said: Said[]
  readonly gone: Promise<{ code: number | null; signal: string | null }>
  tell(message: 'go' | 'stats' | 'drain'): void
  kill(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void
  /** Resolves with what it said, once it has said something like it. */
  hear(is: (said: Said) => boolean): Promise<Said>
}

export type ProcessOptions = Partial<
  Pick<WorkerOptions, 'concurrency' | 'leaseMs' | 'heartbeatMs' | 'abortMs' | 'lostClaimMs' | 'name'>
> & {
  /** Handlers told to hold do so, until they hear `go`. */
  holds?: boolean
  /** How wrong its clock is. */
  wrongByMs?: number
  isolated?: Record<string, HandlerEntry>
}

/** For all files of this process: the first to end must not take it from the others. */
let compiled: string | undefined
process.once('exit', () => {
  if (compiled !== undefined) rmSync(compiled, { recursive: true, force: true })
})

/** The package, compiled into a folder of its own: dist may be older than src, or being made anew by another test. */
function dist(): string {
  if (compiled === undefined) {
    compiled = mkdtempSync(join(tmpdir(), 'holdfast-compiled-'))
    const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
    for (const name of ['node_modules', 'sql', 'package.json'])
      symlinkSync(join(root, name), join(compiled, name))
    execFileSync(
      process.execPath,
      [tsc, '-p', join(root, 'tsconfig.build.json'), '--noCheck', '--outDir', join(compiled, 'dist')],
      { cwd: root },
    )
  }
  return `${pathToFileURL(join(compiled, 'dist'))}/`
}

export async function startProcess(
  store: Store,
  options: ProcessOptions = {},
  url = postgresUrl(),
): Promise<WorkerProcess> {
  const file = fileURLToPath(new URL('./worker-process.js', import.meta.url))
  const setup = { dist: dist(), url, schema: store.schema, options }
  const { wrongByMs = 0 } = options
  const child = fork(file, [JSON.stringify(setup)], {
    execArgv: wrongByMs === 0 ? [] : ['--import', new URL('./wrong-clock.js', import.meta.url).href],
    env: { ...process.env, WRONG_BY_MS: String(wrongByMs) },
    serialization: 'advanced',
  })
  const said: Said[] = []
  let isGone = false
  const gone = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.on('exit', (code, signal) => {
      isGone = true
      resolve({ code, signal })
    })
  })
  child.on('message', (message) => void said.push(message as Said))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await gone
  })
  const hear = async (is: (said: Said) => boolean) => {
    await until(() => isGone || said.some(is))
    const found = said.find(is)
    if (found === undefined)
      throw new Error(`the worker process ended without saying so: ${JSON.stringify(said)}`)
    return found
  }
  const { ready = '' } = await hear(({ ready }) => ready !== undefined)
  return {
    process: child,
    pid: child.pid as number,
    worker: ready,
    said,
    gone,
    tell: (message) => void child.send(message),
    kill: (signal) => void child.kill(signal),
    hear,
  }
}
