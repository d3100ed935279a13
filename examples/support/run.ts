/** Runs one example until it is done or interrupted. Called by scripts/example.js. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import type { Example, ExampleOptions } from './example.js'
import { printer } from './print.js'

export interface RunFlags {
  readonly port?: number
  readonly speed?: number
  readonly out?: string
  readonly chaos?: number
  readonly keep?: boolean
  /** End when the result is there. Without it the example stays up, to be looked at. */
  readonly exit?: boolean
  readonly args: readonly string[]
}

const PORT = 8080
const WHO = 'example'

export async function run(name: string, example: Example, flags: RunFlags): Promise<void> {
  const print = printer()
  const databaseUrl = process.env.DATABASE_URL || undefined
  const schema = process.env.HOLDFAST_SCHEMA || undefined
  const out = resolve(flags.out ?? join('.holdfast', 'examples', name))
  const place = relative(process.cwd(), out).startsWith('..') ? out : relative(process.cwd(), out)
  mkdirSync(out, { recursive: true })
  const interrupted = interruption()
  const options: ExampleOptions = {
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
    ...(schema === undefined ? {} : { schema }),
    ...(flags.chaos === undefined ? {} : { chaos: flags.chaos }),
    out,
    port: flags.port ?? PORT,
    speed: flags.speed ?? 1,
    keep: flags.keep ?? false,
    args: flags.args,
    print,
  }
  const began = performance.now()
  print(WHO, databaseUrl === undefined ? `database in ${place}/pg` : 'database of DATABASE_URL')
  const running = await example.start(options).catch(refused)
  print(WHO, `${running.url}  (Ctrl-C ends it)`, 'strong')
  const done = running.result().then((result) => {
    writeFileSync(join(out, 'result.json'), `${JSON.stringify(result, null, 2)}\n`)
    const seconds = Math.round((performance.now() - began) / 1_000)
    const kills = running.kills?.length ?? 0
    print(WHO, `results in ${place}`)
    print(WHO, `done in ${seconds} s${kills > 0 ? `, with ${kills} kills` : ''}`, 'good')
    return flags.exit === true
  })
  try {
    const isOver = await Promise.race([done, interrupted.then(() => true)])
    if (!isOver) await interrupted
  } finally {
    print(WHO, 'stopping')
    // What is still to be counted when it is stopped is of no interest.
    done.catch(() => {})
    await running.stop()
  }
  print(WHO, 'stopped')
}

/** What keeps an example from starting is the reader's to change: a port, a database. What it had started ends with this process. */
function refused(error: Error & { readonly remedy?: string }): never {
  process.stderr.write(`${error.message}\n${error.remedy === undefined ? '' : `${error.remedy}\n`}`)
  process.exit(1)
}

/** npm passes Ctrl-C on to a process that has it already: a second one this soon is the same. */
const SAME_MS = 1_000

/** The first Ctrl-C stops in order; the second one, at once. */
function interruption(): Promise<void> {
  return new Promise((resolve) => {
    let first: number | undefined
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.on(signal, () => {
        if (first !== undefined && performance.now() - first > SAME_MS) process.exit(130)
        first ??= performance.now()
        resolve()
      })
  })
}
