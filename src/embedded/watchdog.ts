// Ends a throw-away server when its runner is gone, even after kill -9, where nothing in the runner can clean up.
// A small process holds the other end of a pipe: when the runner ends, for whatever reason, the kernel closes the pipe.
import { spawn } from 'node:child_process'
import { spawnOptions } from './child.js'
import { EmbeddedFailed } from './errors.js'

// Plain text, because it runs without this package's files: from TypeScript in tests, from dist elsewhere.
// Each line on stdin is the pid to end (0: none any more); when stdin closes, it acts.
const PROGRAM = `
const { readFileSync, rmSync } = require('node:fs')
let text = ''
process.stdin.on('data', (chunk) => { text += chunk })
process.stdin.on('end', act).on('error', act)
function act() {
  const pid = Number(text.trim().split('\\n').pop())
  if (pid > 0) end(pid, 'SIGQUIT') || end(pid, 'SIGKILL')
  rmSync(process.argv[1], { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  process.exit(0)
}
function end(pid, name) {
  try { process.kill(pid, name) } catch { return true }
  for (let i = 0; i < 500; i++) {
    if (gone(pid)) return true
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
  }
  return false
}
function gone(pid) {
  try { process.kill(pid, 0) } catch { return true }
  try { return /\\) [ZX] /.test(readFileSync('/proc/' + pid + '/stat', 'latin1')) } catch { return false }
}
`

export interface Watchdog {
  /** The process to end when this one dies. */
  watch(pid: number): void
  /** Disarms the watchdog. */
  dismiss(): void
}

export function startWatchdog(folder: string): Watchdog {
  const child = spawn(process.execPath, ['-e', PROGRAM, folder], {
    ...spawnOptions(process.execPath, undefined),
    stdio: ['pipe', 'ignore', 'ignore'],
    // Its own session, or the Ctrl-C that ends the runner would end it too.
    detached: true,
  })
  child.on('error', () => {})
  if (!child.pid)
    throw new EmbeddedFailed(
      'The watchdog of a throw-away server did not start',
      'Free some processes or memory.',
    )
  child.unref()
  // Node types the pipe as a stream; underneath it is a socket, and a pending one would keep the runner from exiting.
  ;(child.stdin as unknown as { unref?: () => void }).unref?.()
  child.stdin?.on('error', () => {})
  return {
    watch: (pid) => void child.stdin?.write(`${pid}\n`),
    dismiss: () => void child.stdin?.end('0\n'),
  }
}
