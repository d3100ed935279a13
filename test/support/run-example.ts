/** Examples as the reader runs them: `npm run example -- <name>` without npm, as a process, with what it prints. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, vi } from 'vitest'

const RUNNER = fileURLToPath(new URL('../../scripts/example.js', import.meta.url))
const WAIT = { timeout: 170_000, interval: 50 }

export interface StartedExample {
  readonly child: ChildProcess
  /** Lines of its output so far. */
  readonly lines: readonly string[]
  /** The folder with what it has made. */
  readonly out: string
  /** Resolves with the first line that matches. */
  shows(pattern: RegExp): Promise<RegExpExecArray>
  /** Its HTTP server. */
  url(): Promise<string>
  /** Its result, once it has one. */
  result<T = unknown>(): Promise<T>
  /** The processes of this run that are alive, itself included: none may be left when it has ended. */
  processes(): number[]
  /** Ctrl-C. Resolves with its exit code when it and all it has started are gone. */
  interrupt(): Promise<number | null>
  readonly ended: Promise<number | null>
}

/** Always on any free port, and in a folder of its own. `env` names the database of the test, or none for an embedded one. */
export function startExample(
  name: string,
  args: readonly string[],
  env: Record<string, string> = {},
): StartedExample {
  const out = mkdtempSync(join(tmpdir(), 'holdfast-example-'))
  const mark = `HOLDFAST_EXAMPLE_RUN=${randomUUID()}`
  const [key = '', id = ''] = mark.split('=')
  const child = spawn(process.execPath, [RUNNER, name, '--port', '0', '--out', out, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env, [key]: id },
  })
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream as NodeJS.ReadableStream }).on('line', (line) => lines.push(line))
  let isOver = false
  const ended = new Promise<number | null>((resolve) =>
    child.once('close', (code) => {
      isOver = true
      resolve(code)
    }),
  )
  onTestFinished(async ({ task }) => {
    if (task.result?.state === 'fail') console.error(lines.slice(-60).join('\n'))
    for (const pid of processesMarked(mark)) killed(pid)
    await ended
    rmSync(out, { recursive: true, force: true })
  })

  const shows = async (pattern: RegExp) => {
    const match = () => lines.map((line) => pattern.exec(line)).find((each) => each !== null)
    await vi.waitFor(() => {
      if (match() === undefined && !isOver) throw new Error(`no line matches ${pattern}`)
    }, WAIT)
    return match() ?? expect.fail(`it ended without a line that matches ${pattern}`)
  }
  const gone = () =>
    vi.waitFor(() => expect(processesMarked(mark), 'processes of the example').toEqual([]), WAIT)

  return {
    child,
    lines,
    out,
    shows,
    ended,
    url: async () => (await shows(/(http:\/\/127\.0\.0\.1:\d+) {2}\(Ctrl-C/))[1] as string,
    async result<T>() {
      await shows(/done in \d+ s/)
      return JSON.parse(readFileSync(join(out, 'result.json'), 'utf8')) as T
    },
    processes: () => processesMarked(mark),
    async interrupt() {
      child.kill('SIGINT')
      const code = await ended
      await gone()
      return code
    },
  }
}

/** Children inherit the mark with the environment, also those that have moved to a session of their own. */
function processesMarked(mark: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && environmentOf(pid).includes(mark))
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8')
  } catch {
    return ''
  }
}

/** A process that ended may be listed until its parent has asked for its exit code. */
export function isRunning(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

function killed(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended by itself meanwhile.
  }
}

export const killsOf = ({ lines }: StartedExample): number =>
  Number(/with (\d+) kills/.exec(lines.join('\n'))?.[1] ?? 0)

/** What the README asks the server of the example for by curl, as paths. */
export function curlPaths(name: string): string[] {
  const readme = readFileSync(new URL(`../../examples/${name}/README.md`, import.meta.url), 'utf8')
  return [...readme.matchAll(/^curl .*?http:\/\/127\.0\.0\.1:8080([^\s']+)/gm)].map(([, path = '']) => path)
}
