/**
 * Runs the command line: short commands in this process, which saves the start of another, and those that stay up, or that a test
 * signals, as a child process of the built package, as a user does.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { findEmbedded } from 'holdfast/embedded'
import { onTestFinished } from 'vitest'
import { run } from '../../src/cli/program.js'

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly cwd?: string
  readonly env?: Record<string, string>
  /** As a child process, also where it would not be one otherwise. */
  readonly ownProcess?: boolean
}

export type Step = { step: string } & Record<string, unknown>

export function startHoldfast(
  args: readonly string[],
  { cwd = tmpdir(), env = {} }: RunOptions = {},
): ChildProcess {
  if (!existsSync(MAIN))
    throw new Error('dist/cli/main.js is missing: run `npm run build` before these tests')
  return spawn(process.execPath, [MAIN, ...args], { cwd, env: environment(env) })
}

function environment(env: Record<string, string>): NodeJS.ProcessEnv {
  const { DATABASE_URL: _ours, NO_COLOR: _plain, ...inherited } = process.env
  // Any free port, so that several can be up at once.
  return { ...inherited, PORT: '0', ...env }
}

/** These stay up, own a database or load the user's modules into their process. */
const OF_THEIR_OWN = ['up', 'down', 'demo', 'worker', 'server', 'conformance']

export async function holdfast(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const { cwd = tmpdir(), env = {}, ownProcess = OF_THEIR_OWN.includes(args[0] ?? '') } = options
  if (ownProcess || !enterFolder(cwd)) return finished(startHoldfast(args, options))
  const out = new Text()
  const err = new Text()
  try {
    const streams = { stdout: out, stderr: err } as unknown as Pick<NodeJS.Process, 'stdout' | 'stderr'>
    const code = await run([process.execPath, MAIN, ...args], environment(env), streams)
    return { code, stdout: out.text, stderr: err.text }
  } finally {
    leaveFolder()
  }
}

class Text extends Writable {
  text = ''

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString('utf8')
    done()
  }
}

/** The working directory belongs to the whole process: commands run side by side in it only if they want the same one. */
let inside = 0
let before = ''

function enterFolder(cwd: string): boolean {
  if (inside > 0 && process.cwd() !== realpathSync(cwd)) return false
  if (inside === 0) before = process.cwd()
  inside += 1
  process.chdir(cwd)
  return true
}

function leaveFolder(): void {
  inside -= 1
  if (inside === 0) process.chdir(before)
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

/** Resolves with the step as soon as the demo has told it. */
export function toldStep(child: ChildProcess, name: string): Promise<Step> {
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })
  return new Promise((resolve, reject) => {
    lines.on('line', (line) => {
      const step = JSON.parse(line) as Step
      if (step.step === name) resolve(step)
    })
    lines.on('close', () => reject(new Error(`the demo ended without the step ${name}`)))
  })
}

export function steps(stdout: string): Map<string, Step> {
  const told = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Step)
  return new Map(told.map((step) => [step.step, step]))
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
