// Starts a Postgres program: always by absolute path, under the right account, in a clean environment.
import { type SpawnOptions, spawn } from 'node:child_process'
import { parse } from 'node:path'
import type { Account } from './account.js'

/** What Windows programs cannot start without; elsewhere these are not set. */
const KEPT = ['SystemRoot', 'windir', 'ComSpec', 'TEMP', 'TMP']

/** Nothing of the caller's environment is passed on: PGDATA, PGPORT, PGOPTIONS or a locale would change what the programs do. */
export function spawnOptions(file: string, account: Account | undefined): SpawnOptions {
  const kept = Object.fromEntries(
    KEPT.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
  )
  return {
    // initdb reaches for /bin/sh; LC_ALL=C keeps messages in the one language the launcher reads.
    env: { ...kept, PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
    // The account may not be able to enter this process's working directory.
    cwd: parse(file).root,
    windowsHide: true,
    // spawn takes signed ids, chown unsigned ones; on macOS the unprivileged account is -2.
    ...(account ? { uid: account.uid | 0, gid: account.gid | 0 } : {}),
  }
}

export interface Finished {
  ok: boolean
  output: string
}

/** Runs a program to its end and never throws: a program that cannot start is reported like one that failed. */
export function run(
  file: string,
  args: string[],
  account: Account | undefined,
  { stdin = '', withinMs = 120_000, onSpawn }: RunOptions = {},
): Promise<Finished> {
  return new Promise((resolve) => {
    let output = ''
    let child: ReturnType<typeof spawn>
    try {
      child = spawn(file, args, { ...spawnOptions(file, account), stdio: 'pipe' })
    } catch (error) {
      return resolve({ ok: false, output: String(error) })
    }
    if (child.pid) onSpawn?.(child.pid)
    child.stdout?.on('data', (chunk) => {
      output += chunk
    })
    child.stderr?.on('data', (chunk) => {
      output += chunk
    })
    // A program that exits without reading its input makes the pipe fail; its exit code says more.
    child.stdin?.on('error', () => {})
    child.stdin?.end(stdin)
    // Not spawn's own timeout: its timer outlives a program that could not start, and keeps our process from exiting.
    const timer = setTimeout(() => child.kill('SIGKILL'), withinMs)
    const finish = (finished: Finished) => {
      clearTimeout(timer)
      resolve(finished)
    }
    child.on('error', (error) => finish({ ok: false, output: `${output}${error.message}` }))
    child.on('close', (code) => finish({ ok: code === 0, output }))
  })
}

interface RunOptions {
  stdin?: string
  withinMs?: number
  onSpawn?: ((pid: number) => void) | undefined
}
