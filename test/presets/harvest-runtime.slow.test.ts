// The harvest preset, as far as programs run: the settings by library and command line, while a worker is at work.
import { type App, defineJob } from 'holdfast'
import { expect, it, vi } from 'vitest'
import { freshApp, pinnedApp } from '../support/app.js'
import { holdfast } from '../support/cli/child.js'
import { postgresUrl } from '../support/world.js'

const QUEUE = 'leads'
const QUEUES = { [QUEUE]: { preset: 'harvest' } } as const
const WAIT = { timeout: 100_000, interval: 20 }
const NUMBERS = {
  LEASE_SEC_DEFAULT: 60,
  BACKOFF_BASE_SEC: 30,
  BACKOFF_MAX_SEC: 3600,
  MAX_ATTEMPTS_DEFAULT: 5,
}

const broken = defineJob({
  kind: 'broken',
  queue: QUEUE,
  handler: () => {
    throw new Error('the site is down')
  },
})
const slow = defineJob({ kind: 'slow', queue: QUEUE, handler: () => new Promise<never>(() => {}) })

const until = (app: App, id: number, want: object) =>
  vi.waitFor(async () => expect(await app.handle(id).job()).toMatchObject(want), WAIT)

it('S0.11 default lease, backoff base, backoff cap and attempts are settings in the database', async () => {
  const app = await freshApp({})
  for (const [name, value] of Object.entries(NUMBERS)) expect(await app.settings.get(name), name).toBe(value)
  const listed = new Map((await app.settings.list()).map((setting) => [setting.name as string, setting]))
  for (const [name, value] of Object.entries(NUMBERS)) {
    expect(listed.get(name)).toMatchObject({ value, default: value, origin: 'default' })
    await app.settings.set(name, value - 1)
  }
  const rows = await app.store.database.query('select name, value from holdfast.setting order by name')
  const kept = Object.entries(NUMBERS).map(([name, value]) => ({ name, value: value - 1 }))
  expect(rows).toEqual(kept.sort((one, other) => (one.name < other.name ? -1 : 1)))
})

it('S0.11 each setting changed by the library takes effect on a running worker, without a restart', async () => {
  const { app, clock } = await pinnedApp({ jobs: [broken, slow], queues: QUEUES })
  await app.work({ pollMs: 20 })
  const dueIn = async (id: number) =>
    (await app.handle(id).job()).visibleAt.getTime() - (await clock.now()).getTime()

  const job = await app.enqueue(broken, null)
  await until(app, job.id, { state: 'retrying', failures: 1 })
  expect(await dueIn(job.id)).toBeGreaterThanOrEqual(30_000)
  expect(await dueIn(job.id)).toBeLessThanOrEqual(36_000)

  await app.settings.set('BACKOFF_BASE_SEC', 100)
  await app.settings.set('BACKOFF_MAX_SEC', 150)
  await clock.advance(36_000)
  await until(app, job.id, { state: 'retrying', failures: 2 })
  expect(await dueIn(job.id)).toBeGreaterThanOrEqual(150_000)
  expect(await dueIn(job.id)).toBeLessThanOrEqual(180_000)

  await app.settings.set('LEASE_SEC_DEFAULT', 7)
  const held = await app.enqueue(slow, null)
  await until(app, held.id, { attempt: 1 })
  const { leaseExpiresAt } = await held.job()
  expect(leaseExpiresAt?.getTime()).toBe((await clock.now()).getTime() + 7_000)
  await app.stop({ graceMs: 0 })
})

it('S0.11 a job without its own max_attempts uses the setting as it is when the attempt fails; one with its own does not', async () => {
  const { app, clock } = await pinnedApp({ jobs: [broken], queues: QUEUES })
  await app.work({ pollMs: 20 })
  const open = await app.enqueue(broken, null)
  const own = await app.enqueue(broken, null, { maxAttempts: 3 })
  for (const { id } of [open, own]) await until(app, id, { state: 'retrying', failures: 1 })
  await app.settings.set('MAX_ATTEMPTS_DEFAULT', 2)
  await clock.advance(36_000)
  await until(app, open.id, { state: 'failed', attempt: 2 })
  await until(app, own.id, { state: 'retrying', failures: 2 })
})

it('S0.11 an invalid value is refused with its path and changes nothing; each change is stored with actor, reason and old value', async () => {
  const app = await freshApp({})
  for (const [name, wrong] of [
    ['LEASE_SEC_DEFAULT', 0],
    ['BACKOFF_BASE_SEC', -1],
    ['BACKOFF_MAX_SEC', 1.5],
    ['MAX_ATTEMPTS_DEFAULT', 'many'],
  ] as const) {
    await expect(app.settings.set(name, wrong)).rejects.toMatchObject({
      code: 'invalid_input',
      details: { path: '/value' },
    })
    expect(await app.settings.get(name)).toBe(NUMBERS[name])
  }
  await app.settings.set('BACKOFF_BASE_SEC', 10, { actor: 'ada', reason: 'a calmer night' })
  await app.settings.reset('BACKOFF_BASE_SEC', { actor: 'bob' })
  expect((await app.store.read.feed('all')).events).toMatchObject([
    { type: 'setting_set', actor: 'ada', reason: 'a calmer night', data: { before: 30, value: 10 } },
    { type: 'setting_set', actor: 'bob', data: { before: 10, value: 30 } },
  ])
})

it('S0.11 the command line shows settings and changes them under a running worker, validated and stored with actor and reason', async () => {
  const app = await freshApp({ jobs: [broken], queues: QUEUES })
  await app.work({ pollMs: 20 })
  const flags = ['--json', '--url', postgresUrl(), '--schema', app.store.schema]
  const cli = async (...args: string[]) => holdfast(['settings', ...args, ...flags])
  const listed = JSON.parse((await cli('list')).stdout).settings as { name: string; value: number }[]
  for (const [name, value] of Object.entries(NUMBERS))
    expect(listed).toContainEqual(expect.objectContaining({ name, value }))

  const set = await cli('set', 'MAX_ATTEMPTS_DEFAULT', '1', '--actor', 'ada', '--reason', 'a bad night')
  expect(set.code).toBe(0)
  expect(JSON.parse(set.stdout)).toEqual({ name: 'MAX_ATTEMPTS_DEFAULT', value: 1 })
  const job = await app.enqueue(broken, null)
  await until(app, job.id, { state: 'failed', attempt: 1 })
  const { events } = await app.store.read.feed('all')
  expect(events.filter(({ type }) => type === 'setting_set')).toMatchObject([
    { actor: 'ada', reason: 'a bad night', data: { before: 5, value: 1 } },
  ])

  const wrong = await cli('set', 'MAX_ATTEMPTS_DEFAULT', '0')
  expect([wrong.code, JSON.parse(wrong.stderr).code]).toEqual([1, 'invalid_input'])
  const unknown = await cli('set', 'MAX_ATTEMPT_DEFAULT', '3')
  expect(unknown.code).toBe(1)
  expect(JSON.parse(unknown.stderr).message).toContain('MAX_ATTEMPTS_DEFAULT')
  expect(JSON.parse((await cli('reset', 'MAX_ATTEMPTS_DEFAULT')).stdout).value).toBe(5)
})
