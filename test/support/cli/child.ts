/** The command line as a child process of the built package, as a user runs it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findEmbedded } from 'holdfast/embedded'
import { onTestFinished } from 'vitest'

export const MAIN = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))

export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface ChildOptions {
  readonly cwd?: string
  readonly env?: Record<string, string>
  /** Another build of the command line. */
  readonly main?: string
}

export function holdfast(args: readonly string[], options: ChildOptions = {}): Promise<Finished> {
  return finished(startHoldfast(args, options))
}

export function startHoldfast(
  args: readonly string[],
  { cwd = tmpdir(), env = {}, main = MAIN }: ChildOptions = {},
): ChildProcess {
  if (!existsSync(main))
    throw new Error('dist/cli/main.js is missing: run `npm run build` before these tests')
  return spawn(process.execPath, [main, ...args], { cwd, env: environment(env) })
}

export function environment(env: Record<string, string>): NodeJS.ProcessEnv {
  const { DATABASE_URL: _ours, NO_COLOR: _plain, ...inherited } = process.env
  // Any free port, so that several can be up at once.
  return { ...inherited, PORT: '0', ...env }
}

export function finished(child: ChildProcess): Promise<Finished> {
  const text = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk
    })
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, ...text }))
  })
}

/** A folder for one test; a server that a failed test left in it is stopped. */
export function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-cli-'))
  // As root, Postgres runs under another account, which has to pass through.
  chmodSync(folder, 0o755)
  onTestFinished(async () => {
    const left = await findEmbedded({ dir: join(folder, '.holdfast', 'pg') })
    if (left) process.kill(left.pid, 'SIGQUIT')
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  })
  return folder
}
