/**
 * Checks what a program passes to `holdfast()`, `work()` and `enqueue()`. The types say the same, but plain JavaScript and `any` get past them; a
 * mistake is then reported here, with its path, and not as a TypeError from inside or as a call that never returns.
 */
import { invalidInput } from '../domain/errors/errors.js'
import { refuseUnknown } from '../domain/nearest.js'
import { checkSettingName } from '../domain/settings.js'
import { checkName, checkWhole, POSTGRES_ADDRESS } from '../domain/validate.js'
import type { DefinedJob } from './define-job.js'

const HOLDFAST_OPTIONS = [
  ...['url', 'embedded', 'store', 'schema', 'migrate', 'notify', 'connections'],
  ...['jobs', 'queues', 'schedules', 'tenant', 'settings', 'log', 'webhooks'],
]

const WORK_OPTIONS = [
  ...['queues', 'concurrency', 'groups', 'scaleIntervalMs', 'maxWaitMs', 'processes', 'name', 'version'],
  ...['pollMs', 'leaseMs', 'graceMs', 'metrics', 'processSpans', 'onEnded', 'onScale', 'trigger'],
]

type Fields = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function checkObject(value: unknown, path: string, example: string): Fields {
  if (isObject(value)) return value
  throw invalidInput(path, `must be an object, like ${example}`)
}

export function checkHoldfastOptions(options: unknown): void {
  const given = checkObject(options, '', '{ url: process.env.DATABASE_URL, jobs: [welcome] }')
  refuseUnknown(given, HOLDFAST_OPTIONS)
  const { url, embedded, connections, queues, schedules, tenant, settings, log } = given
  checkDatabase(url, embedded)
  if (connections !== undefined) checkWhole(connections, '/connections', { min: 1, max: 1000 })
  for (const name of ['migrate', 'notify'])
    if (given[name] !== undefined && typeof given[name] !== 'boolean')
      throw invalidInput(`/${name}`, 'must be true or false')
  if (given.jobs !== undefined) checkJobs(given.jobs)
  if (queues !== undefined) checkObject(queues, '/queues', '{ mail: { maxRetries: 8 } }')
  if (schedules !== undefined && !Array.isArray(schedules))
    throw invalidInput(
      '/schedules',
      "must be a list, like [{ name: 'nightly', job: report, expression: '0 3 * * *' }]",
    )
  if (tenant !== undefined) checkName(tenant, '/tenant')
  if (settings !== undefined) checkLocalSettings(settings)
  if (log !== undefined && log !== false && typeof (log as Fields | null)?.warn !== 'function')
    throw invalidInput('/log', 'must be a logger, like pino(), or false for none')
}

function checkDatabase(url: unknown, embedded: unknown): void {
  const { pattern, must } = POSTGRES_ADDRESS
  if (url !== undefined && url !== '' && !(typeof url === 'string' && pattern.test(url)))
    throw invalidInput('/url', `must be ${must}`)
  if (embedded === undefined) return
  if (url !== undefined)
    throw invalidInput(
      '/embedded',
      'cannot be combined with `url`: give the database to use, or have one started',
    )
  if (embedded !== 'memory' && !isObject(embedded))
    throw invalidInput('/embedded', "must be 'memory', or an object like { home: './data' }")
}

function checkLocalSettings(settings: unknown): void {
  const given = checkObject(settings, '/settings', '{ overrides: { STALE_DAYS: 14 } }')
  refuseUnknown(given, ['overrides', 'defaults'], '/settings')
  for (const names of Object.values(given))
    for (const name of Object.keys(names ?? {})) checkSettingName(name)
}

export function checkJobs(jobs: unknown): void {
  if (!Array.isArray(jobs))
    throw invalidInput('/jobs', 'must be a list of jobs made with defineJob, like [welcome]')
  jobs.forEach((job, index) => {
    checkJob(job, `/jobs/${index}`)
  })
}

/** The shape, not the class: a program may have two copies of this package. */
export function checkJob(job: unknown, path: string): asserts job is DefinedJob {
  const { kind, queue, handler } = isObject(job) ? job : {}
  if (typeof kind === 'string' && typeof queue === 'string' && typeof handler === 'function') return
  throw invalidInput(
    path,
    'must be a job made with defineJob; undefined is what a circular import leaves behind',
  )
}

export function checkWorkOptions(options: unknown): void {
  const given = checkObject(options, '', '{ concurrency: 10 }')
  refuseUnknown(given, WORK_OPTIONS)
  if (given.queues !== undefined) checkQueueNames(given.queues, '/queues')
  if (given.groups !== undefined && !Array.isArray(given.groups))
    throw invalidInput('/groups', "must be a list, like [{ queues: ['mail'], defaultCount: 1, maxCount: 5 }]")
  if (given.concurrency !== undefined) checkWhole(given.concurrency, '/concurrency', { min: 1 })
}

function checkQueueNames(queues: unknown, path: string): void {
  if (!Array.isArray(queues)) throw invalidInput(path, "must be a list of names, like ['mail']")
  queues.forEach((name, index) => {
    checkName(name, `${path}/${index}`)
  })
}
