/** What a definition says of its kind holds however a job of the kind is enqueued; what the call says wins. */
import { type App, type DefinedJob, defineJob, holdfast, work } from 'holdfast'
import type { Store } from 'holdfast/store'
import { describe, expect, it, onTestFinished } from 'vitest'
import { holdfast as commandLine } from '../cli/run-holdfast.js'
import { freshApp, pinnedApp } from '../support/app.js'
import { serve } from '../support/http.js'
import { openSession } from '../support/sessions.js'
import { freshStore, onEachDriver, postgresUrl } from '../support/world.js'

const strict = defineJob({
  kind: 'strict',
  queue: 'q',
  maxRetries: 0,
  timeoutMs: 5_000,
  priority: 77,
  key: 'of:{id}',
  target: '{site.name}',
  handler: (_ctx, _input: { id: number; site: { name: string } }) => {},
})
const INPUT = { id: 7, site: { name: 'a' } }
const SAID = { maxRetries: 0, timeoutMs: 5_000, priority: 77, key: 'of:7', target: 'a' }
const OTHER = { maxRetries: 3, timeoutMs: 60_000, priority: 5, key: 'mine', target: 'b' }

async function saidOf(store: Store, jobId: number | null | undefined) {
  const [row] = await store.database.query<Record<string, unknown>>(
    `select max_retries as "maxRetries", timeout_ms as "timeoutMs", initial_priority as priority, key, target
     from holdfast.job where id = $1`,
    [jobId],
  )
  return row
}

const idIn = (row: object | undefined) => Number((row as { id: unknown } | undefined)?.id)

onEachDriver('what a kind declares', (driver) => {
  it('6.11 holds for a job that its app enqueues, that the store does, and that SQL does', async () => {
    const app = await freshApp({ jobs: [strict] }, driver)
    const { store } = app
    const { id } = await app.enqueue(strict, INPUT)
    expect(await saidOf(store, id)).toEqual(SAID)
    await app.jobs.cancel(id)
    const made = await store.enqueue({ queue: 'q', kind: 'strict', input: INPUT })
    expect(await saidOf(store, made.jobId)).toEqual(SAID)
    // Its key is kept as well, so a second one is the first.
    expect(await store.enqueue({ queue: 'q', kind: 'strict', input: INPUT })).toEqual({
      jobId: made.jobId,
      deduplicated: true,
    })
    await app.jobs.cancel(made.jobId)
    const sql = `select holdfast.enqueue('q', 'strict', $1) as id`
    const [row] = await store.database.query(sql, [JSON.stringify(INPUT)])
    expect(await saidOf(store, idIn(row as object))).toEqual(SAID)
  })

  it('6.11 yields to what the call says', async () => {
    const app = await freshApp({ jobs: [strict] }, driver)
    const { id } = await app.enqueue(strict, INPUT, OTHER)
    expect(await saidOf(app.store, id)).toEqual(OTHER)
    await app.jobs.cancel(id)
    const { jobId } = await app.store.enqueue({ queue: 'q', kind: 'strict', input: INPUT, ...OTHER })
    expect(await saidOf(app.store, jobId)).toEqual(OTHER)
  })

  it('6.11 holds for the jobs of schedules, however those were made', async () => {
    const byFunctions = defineJob({
      kind: 'functions',
      queue: 'q',
      maxRetries: 0,
      priority: 66,
      key: (input: { id: number }) => `made of ${input.id}`,
      target: () => 'there',
      handler: () => {},
    })
    const { app, clock } = await pinnedApp(
      {
        jobs: [strict, byFunctions],
        schedules: [
          { name: 'declared', job: strict, input: INPUT, expression: '@hourly' },
          { name: 'functions', job: byFunctions, input: { id: 3 }, expression: '@hourly' },
        ],
      },
      driver,
    )
    await app.schedules.create({
      name: 'created',
      kind: 'strict',
      queue: 'q',
      input: { id: 8, site: { name: 'b' } },
      expression: '@hourly',
    })
    await app.schedules.create({
      name: 'says',
      kind: 'strict',
      queue: 'q',
      input: INPUT,
      expression: '@hourly',
      priority: 1,
      key: 'own',
    })
    await app.schedules.create({ name: 'plain', kind: 'unknown', queue: 'q', expression: '@hourly' })
    const { nextRunAt } = await app.schedules.get('declared')
    await clock.set(nextRunAt)
    await app.store.scheduler.fireDue()
    const firedBy = async (name: string) =>
      saidOf(app.store, (await app.schedules.history(name)).at(-1)?.jobId)
    expect(await firedBy('declared')).toEqual(SAID)
    expect(await firedBy('created')).toEqual({ ...SAID, key: 'of:8', target: 'b' })
    expect(await firedBy('says')).toEqual({ ...SAID, priority: 1, key: 'own' })
    const functions = { maxRetries: 0, timeoutMs: null, priority: 66, key: 'made of 3', target: 'there' }
    expect(await firedBy('functions')).toEqual(functions)
    const nothing = { maxRetries: null, timeoutMs: null, priority: 20, key: null, target: null }
    expect(await firedBy('plain')).toEqual(nothing)
  })

  it('6.11 a scheduled job that is never to be tried again runs once', async () => {
    const attempts: number[] = []
    const once = defineJob({
      kind: 'once',
      queue: 'q',
      maxRetries: 0,
      handler: ({ attempt }) => {
        attempts.push(attempt)
        throw new Error('no')
      },
    })
    const app = await freshApp(
      { jobs: [once], schedules: [{ name: 's', job: once, expression: '@yearly' }] },
      driver,
    )
    await app.work()
    const { jobId } = await app.schedules.run('s')
    await expect(app.handle(jobId).result()).rejects.toMatchObject({ name: 'JobFailed' })
    expect(attempts).toEqual([1])
  })

  it('6.11 is the last declaration, and is written only when it differs', async () => {
    const app = await freshApp({ jobs: [strict] }, driver)
    const { kinds } = app.store
    const [first] = await kinds.list()
    expect(first).toMatchObject({
      kind: 'strict',
      queue: 'q',
      ...SAID,
      key: 'of:{id}',
      target: '{site.name}',
    })
    const same = { kind: 'strict', queue: 'q', ...SAID, key: 'of:{id}', target: '{site.name}' }
    expect(await kinds.declare([same])).toBe(0)
    expect(await kinds.declare([{ kind: 'strict', queue: 'q', maxRetries: 2 }])).toBe(1)
    const { jobId } = await app.store.enqueue({ queue: 'q', kind: 'strict', input: INPUT })
    expect(await saidOf(app.store, jobId)).toEqual({
      maxRetries: 2,
      timeoutMs: null,
      priority: 0,
      key: null,
      target: null,
    })
  })

  it('6.11 belongs to one tenant', async () => {
    const app = await freshApp({ jobs: [strict], tenant: 'acme' }, driver)
    const job = { queue: 'q', kind: 'strict', input: INPUT }
    const theirs = await app.store.enqueue(job, { tenant: 'bolt' })
    expect(await saidOf(app.store, theirs.jobId)).toMatchObject({ maxRetries: null, key: null })
    const ours = await app.store.enqueue(job, { tenant: 'acme' })
    expect(await saidOf(app.store, ours.jobId)).toEqual(SAID)
  })

  it('6.11 a template takes text, whole numbers, true and false, and gives nothing where a field is missing', async () => {
    const app = await freshApp({ jobs: [strict] }, driver)
    const made = async (input: unknown) => {
      const { jobId } = await app.store.enqueue({ queue: 'q', kind: 'strict', input })
      const byStore = await saidOf(app.store, jobId)
      await app.jobs.cancel(jobId)
      const { id } = await app.enqueue(strict, input as typeof INPUT)
      expect(await saidOf(app.store, id)).toEqual(byStore)
      await app.jobs.cancel(id)
      return byStore
    }
    expect(await made({ id: '{site.name}', site: { name: true } })).toMatchObject({
      key: 'of:{site.name}',
      target: 'true',
    })
    expect(await made({ id: -2, site: {} })).toMatchObject({ key: 'of:-2', target: null })
    expect(await made(null)).toMatchObject({ key: null, target: null, maxRetries: 0 })
    for (const id of [1.5, [], {}, 1e20]) {
      const input = { id, site: { name: 'a' } }
      await expect(app.store.enqueue({ queue: 'q', kind: 'strict', input })).rejects.toMatchObject({
        code: 'invalid_input',
      })
      await expect(app.enqueue(strict, input as never)).rejects.toMatchObject({ code: 'invalid_input' })
    }
  })
})

describe('what a worker declares', () => {
  it('6.11 holds over HTTP, also when the worker is one of a server', async () => {
    const { store, url, call } = await serve(await freshStore())
    await store.queues.create('q')
    const working = await work({ server: { url }, jobs: [strict] as DefinedJob[], concurrency: 1 })
    onTestFinished(async () => void (await working.drain({ graceMs: 0 })))
    await store.queues.pause('q')
    const input = { id: 9, site: { name: 'c' } }
    const one = await call('POST', '/api/v1/jobs', { queue: 'q', kind: 'strict', input })
    expect(await saidOf(store, one.body.id)).toEqual({ ...SAID, key: 'of:9', target: 'c' })
    const many = await call('POST', '/api/v1/jobs/batch', {
      jobs: [{ queue: 'q', kind: 'strict', input: INPUT, max_retries: 4 }],
    })
    expect(await saidOf(store, many.body.jobs[0].id)).toEqual({ ...SAID, maxRetries: 4 })
    const { body } = await call('GET', '/api/v1/kinds')
    expect(body.declared).toMatchObject([{ kind: 'strict', max_retries: 0, key: 'of:{id}', by_program: [] }])
  })

  it('6.11 holds for each tenant that its groups work for', async () => {
    const app: App = await freshApp({ jobs: [strict] })
    await app.queues.create('q', { tenant: 'acme' })
    const working = await app.work({
      groups: [{ tenant: 'acme', queues: ['q'], defaultCount: 1, maxCount: 1 }],
    })
    expect(await app.store.kinds.list({ tenant: 'acme' })).toHaveLength(1)
    await working.drain()
  })

  it('6.11 two programs that start at the same time both declare', async () => {
    const store = await freshStore()
    const jobs = ['a', 'b', 'c'].map((kind) =>
      defineJob({ kind, queue: 'q', maxRetries: 1, handler: () => {} }),
    )
    const orders = [jobs, [...jobs].reverse(), jobs, [...jobs].reverse()]
    const apps = await Promise.all(orders.map((order) => holdfast({ store, jobs: order })))
    for (const app of apps) onTestFinished(() => app.stop())
    expect((await store.kinds.list()).map(({ kind }) => kind)).toEqual(['a', 'b', 'c'])
  })

  it('6.11 a job that is made in a transaction by plain SQL has what its kind declares', async () => {
    const app = await freshApp({ jobs: [strict] })
    const { client } = await openSession(app.store)
    await client.query('begin')
    const sql = `select t_fresh.enqueue('q', 'strict', $1, '{"priority": 3}') as id`
    const { rows } = await client.query(sql, [JSON.stringify(INPUT)])
    await client.query('commit')
    expect(await saidOf(app.store, idIn(rows[0]))).toEqual({ ...SAID, priority: 3 })
  })

  it('6.11 holds for a job of the command line, whose options win', async () => {
    const { store } = await freshApp({ jobs: [strict] })
    const enqueue = async (...options: string[]) => {
      const where = ['--url', postgresUrl(), '--schema', store.schema, '--json']
      const { code, stdout } = await commandLine([
        'enqueue',
        'q',
        'strict',
        JSON.stringify(INPUT),
        ...options,
        ...where,
      ])
      expect(code).toBe(0)
      return saidOf(store, JSON.parse(stdout).jobs[0].jobId)
    }
    expect(await enqueue()).toEqual(SAID)
    expect(await enqueue('--priority', '3', '--key', 'mine')).toEqual({ ...SAID, priority: 3, key: 'mine' })
  })
})

it('6.11 a template that is none is refused where it is defined', () => {
  const define = (key: string) => () => defineJob({ kind: 'k', key, handler: () => {} })
  for (const key of ['', '{', 'a}', '{a b}', '{a..b}', '{{a}}', 'x'.repeat(257)])
    expect(define(key)).toThrow(expect.objectContaining({ code: 'invalid_input' }))
  for (const key of ['x', '{}', 'a:{b.0.c}']) expect(define(key)).not.toThrow()
})
