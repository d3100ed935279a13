/** The user's own module with job definitions: every job it exports, by itself or in a list, and `queues` and `schedules` if it has them. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { QueueDeclaration } from '../app/declare-queues.js'
import type { ScheduleDeclaration } from '../app/declare-schedules.js'
import type { Job } from '../app/define-job.js'
import { CommandError, EXIT } from './failure.js'
import { usageError } from './flags.js'

export interface JobModules {
  readonly jobs: Job[]
  readonly queues: Record<string, QueueDeclaration>
  readonly schedules: ScheduleDeclaration[]
}

export async function loadJobs(paths: readonly string[]): Promise<JobModules> {
  const jobs = new Set<Job>()
  const queues: Record<string, QueueDeclaration> = {}
  const schedules: ScheduleDeclaration[] = []
  for (const path of paths) {
    const exported = await load(path)
    const before = jobs.size
    for (const [name, value] of Object.entries(exported)) {
      for (const each of Array.isArray(value) ? value : [value]) if (isJob(each)) jobs.add(each)
      if (name === 'queues' && isPlainObject(value)) Object.assign(queues, value)
      if (name === 'schedules') schedules.push(...listOf(value, path))
    }
    if (jobs.size === before) throw noJobs(path)
  }
  return { jobs: [...jobs], queues, schedules }
}

/** Anything else would be left out without a word, and nothing would fire. */
function listOf(value: unknown, path: string): ScheduleDeclaration[] {
  if (Array.isArray(value)) return value
  throw new CommandError({
    code: 'invalid_schedules',
    message: `The schedules of ${path} are no list.`,
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
      message: `${path} could not be loaded: ${(error as Error).message}`,
      remedy: remedyFor(error as NodeJS.ErrnoException, path),
      exitCode: EXIT.config,
    })
  }
}

function remedyFor({ code, stack }: NodeJS.ErrnoException, path: string): string {
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION' && /\.[mc]?tsx?$/.test(path))
    return 'This Node does not run TypeScript: compile it first, or install tsx and start with NODE_OPTIONS="--import tsx".'
  const place = stack?.split('\n').find((line) => /^\s+at .*(file:|\/)/.test(line))
  return `Correct the module and start again${place ? `; it happened ${place.trim()}` : ''}.`
}

function noJobs(path: string): CommandError {
  return new CommandError({
    code: 'no_jobs',
    message: `${path} exports no job.`,
    remedy: "Export what defineJob gives: export const welcome = defineJob({ kind: 'welcome', handler: … }).",
    exitCode: EXIT.config,
  })
}

/** By its shape, not its class: the module may have another copy of this package. */
function isJob(value: unknown): value is Job {
  if (!isPlainObject(value)) return false
  const { kind, queue, handler } = value
  return typeof kind === 'string' && typeof queue === 'string' && typeof handler === 'function'
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
