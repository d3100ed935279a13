/**
 * Runs the command line: short commands in this process, which saves the start of another, and those that stay up, or that a test
 * signals, as a child process of the built package, as a user does.
 */
import type { ChildProcess } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { run } from '../../src/cli/program.js'
import {
  type ChildOptions,
  environment,
  type Finished,
  finished,
  MAIN,
  startHoldfast,
} from '../support/cli/child.js'

export { emptyFolder, type Finished, finished, startHoldfast } from '../support/cli/child.js'

export interface RunOptions extends ChildOptions {
  /** As a child process, also where it would not be one otherwise. */
  readonly ownProcess?: boolean
}

export type Step = { step: string } & Record<string, unknown>

/** These stay up, own a database or load the user's modules into their process. */
const OF_THEIR_OWN = ['up', 'down', 'demo', 'worker', 'server', 'dashboard', 'conformance']

export async function holdfast(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const {
    cwd = tmpdir(),
    env = {},
    ownProcess = options.main !== undefined || OF_THEIR_OWN.includes(args[0] ?? ''),
  } = options
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
