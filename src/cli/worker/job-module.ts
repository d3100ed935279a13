/** Imports the user's module of job definitions: all jobs it exports, singly or in lists, and its `queues` and `schedules`. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { QueueDeclaration } from '../../app/declare-queues.js'
import type { ScheduleDeclaration } from '../../app/declare-schedules.js'
import type { DefinedJob } from '../../app/define-job.js'
import { CommandError, EXIT } from '../failure.js'
import { usageError } from '../flags.js'

export interface JobModules {
  readonly jobs: DefinedJob[]
  readonly queues: Record<string, QueueDeclaration>
  readonly schedules: ScheduleDeclaration[]
}

export async function loadJobs(paths: readonly string[]): Promise<JobModules> {
  const jobs = new Set<DefinedJob>()
  const queues: Record<string, QueueDeclaration> = {}
  const schedules: ScheduleDeclaration[] = []
  for (const path of paths) {
    const exported = await load(path)
    let found = 0
    for (const [name, value] of Object.entries(exported)) {
      const defined = (Array.isArray(value) ? value : [value]).filter(isJob)
      for (const job of defined) jobs.add(job)
      found += defined.length
      if (name === 'queues' && isPlainObject(value)) Object.assign(queues, value)
      if (name === 'schedules') schedules.push(...listOf(value, path))
    }
    if (found === 0) throw noJobs(path)
  }
  return { jobs: [...jobs], queues, schedules }
}

/** Fails on anything but a list: ignoring it would leave the schedules undeclared. */
function listOf(value: unknown, path: string): ScheduleDeclaration[] {
  if (Array.isArray(value)) return value
  throw new CommandError({
    code: 'invalid_schedules',
    message: `The export \`schedules\` of ${path} is not a list.`,
    remedy:
      "Export a list: export const schedules = [{ name: 'nightly', job: report, expression: '0 3 * * *' }].",
    exitCode: EXIT.config,
  })
}

async function load(path: string): Promise<Record<string, unknown>> {
  const file = resolve(path)
  if (!existsSync(file))
    throw usageError(
      `There is no file ${path}.`,
      'Give the path of a JavaScript module that exports jobs made with defineJob.',
    )
  try {
    return (await import(pathToFileURL(file).href)) as Record<string, unknown>
  } catch (error) {
    throw new CommandError({
      code: 'module_failed',
      message: `Importing ${path} failed: ${(error as Error).message}`,
      remedy: remedyFor(error as NodeJS.ErrnoException, path),
      exitCode: EXIT.config,
    })
  }
}

function remedyFor({ code, name, stack }: NodeJS.ErrnoException, path: string): string {
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION' && /\.[mc]?tsx?$/.test(path))
    return 'This Node does not run TypeScript: compile it first, or install tsx and start with NODE_OPTIONS="--import tsx".'
  // Node keeps the place of a syntax error out of the stack, and prints it only itself.
  if (name === 'SyntaxError') return `Correct the syntax and start again; \`node ${path}\` shows the line.`
  const place = stack?.split('\n').find((line) => /^\s+at .*file:/.test(line))
  return `Fix the module and start again${place ? `; the error was thrown ${place.trim()}` : ''}.`
}

function noJobs(path: string): CommandError {
  return new CommandError({
    code: 'no_jobs',
    message: `${path} exports no job.`,
    remedy:
      "Export what defineJob returns: export const welcome = defineJob({ kind: 'welcome', handler: … }).",
    exitCode: EXIT.config,
  })
}

/** Checks the shape, not the class, because the module may use another copy of this package. */
function isJob(value: unknown): value is DefinedJob {
  if (!isPlainObject(value)) return false
  const { kind, queue, handler } = value
  return typeof kind === 'string' && typeof queue === 'string' && typeof handler === 'function'
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
