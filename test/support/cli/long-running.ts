/** Commands that work until they are ended, with what they log. */
import type { ChildProcess } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { emptyFolder, finished, MAIN, startHoldfast } from './child.js'

export const LIBRARY = fileURLToPath(new URL('../../../dist/index.js', import.meta.url))

/** A folder with a module of jobs: one that answers, one that runs until it is told to stop, one that fails. */
export function moduleFolder(): string {
  const folder = emptyFolder()
  writeFileSync(
    join(folder, 'jobs.mjs'),
    `import { defineJob } from ${JSON.stringify(LIBRARY)}
     export const greet = defineJob({ kind: 'greet', queue: 'q', handler: async (ctx, input) => ({ hello: input.name }) })
     export default [
       greet,
       defineJob({ kind: 'endless', queue: 'q', handler: () => new Promise(() => {}) }),
       defineJob({ kind: 'broken', queue: 'q', maxRetries: 0, handler: () => { throw new Error('no such mailbox') } }),
       defineJob({ kind: 'patient', queue: 'accounts', handler: ({ signal }) => new Promise((_resolve, reject) => {
         signal.addEventListener('abort', () => reject(signal.reason))
       }) }),
     ]
     export const queues = { q: { retryBaseMs: 1234 }, accounts: { preset: 'target' } }`,
  )
  return folder
}

export interface Line {
  readonly level: string
  readonly msg: string
  readonly [name: string]: unknown
}

/** A command that works until it is ended, with what it logs. */
export function start(args: string[], cwd: string, env: Record<string, string> = {}, main = MAIN) {
  const child: ChildProcess = startHoldfast([...args, '--json'], {
    cwd,
    env: { LOG_LEVEL: 'debug', ...env },
    main,
  })
  const end = finished(child)
  let over = false
  void end.then(() => {
    over = true
  })
  onTestFinished(() => {
    if (!over) child.kill('SIGKILL')
  })
  const lines: Line[] = []
  const waiting = new Set<() => void>()
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (text) => {
    lines.push(JSON.parse(text) as Line)
    for (const look of waiting) look()
  })
  return {
    child,
    end,
    lines,
    /** Resolves with the first line that fits, also one that was said before. */
    said: (fits: (line: Line) => boolean) =>
      new Promise<Line>((resolve, reject) => {
        const look = () => {
          const found = lines.find(fits)
          if (found === undefined) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
        void end.then(({ stderr }) => reject(new Error(`it ended without saying so: ${stderr}`)))
      }),
  }
}

export const ended = (line: Line) => line.msg === 'attempt ended'
