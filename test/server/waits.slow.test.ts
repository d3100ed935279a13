// Those who wait: how many may, and what they cost while they do.
import { type Database, openPostgres, type Store, storeOn } from 'holdfast/store'
import { expect, it, onTestFinished, vi } from 'vitest'
import { ClaimWaiters } from '../../src/server/work/claim-waiters.js'
import { bearer, serve } from '../support/http.js'
import { freshStore, postgresUrl } from '../support/world.js'
import { until } from '../worker/world.js'

/** The same schema over connections of its own, on which every statement is counted. */
function counted({ schema }: Store) {
  const raw = openPostgres({ url: postgresUrl(), connections: 4 })
  const asked: string[] = []
  const database: Database = {
    ...raw,
    query: (text, values, options) => {
      asked.push(text)
      return raw.query(text, values, options)
    },
    transaction: (work, options) => {
      asked.push('transaction')
      return raw.transaction(work, options)
    },
  }
  onTestFinished(() => raw.close())
  return { store: storeOn(database, schema), asked, busy: () => raw.connections?.().busy }
}

const SCOUTED = /queues_with_work/

function inLine() {
  const spied = vi.spyOn(ClaimWaiters.prototype, 'claim')
  onTestFinished(() => spied.mockRestore())
  return () => spied.mock.calls.length
}

const aPull = (n: number): [string, object] => [`/api/pull_job?wait_sec=30&worker_id=w${n}`, {}]
const aClaim = (n: number): [string, object] => [
  '/api/v1/work/claim',
  { worker: `w${n}`, queues: [`own-${n}`], limit: 1, wait_ms: 30_000 },
]

it.each([
  ['pulls', 300, aPull],
  ['claims, each of a queue of its own,', 100, aClaim],
])(
  '6.16 %s that wait cost the database one question a second, and no connection',
  async (_what, count, ask) => {
    const world = await freshStore()
    await world.queues.create('harvested', { preset: 'harvest' })
    for (let n = 0; n < 100; n++) await world.queues.create(`own-${n}`)
    const { store, asked, busy } = counted(world)
    const { call } = await serve(store, { limits: { keyCacheMs: 60_000 } })
    const come = inLine()
    const answers = Array.from({ length: count }, (_none, n) => call('POST', ...ask(n)))
    await until(() => come() >= count)
    const looks = () => asked.filter((text) => SCOUTED.test(text)).length
    // Whatever the coming of so many has asked is over once the second question after it is answered.
    const settled = looks() + 2
    await until(() => looks() >= settled)
    const from = asked.length
    await until(() => looks() >= settled + 3)
    const since = asked.slice(from)
    // Beside the questions themselves: which queues there are, now and then, once for all, and the listener's own echo.
    expect(since.filter((text) => !SCOUTED.test(text)).length).toBeLessThanOrEqual(6)
    await until(() => busy() === 0)
    const queue = count === 300 ? 'harvested' : 'own-7'
    const { jobId } = await world.enqueue({ queue, kind: 'k' })
    const first = await Promise.race(answers)
    expect(first.body.job_id ?? first.body.jobs[0].job_id).toBe(jobId)
  },
)

it('6.16 a tenant has at most waitsPerTenantMax calls that wait; the next is 429 with its name, and others are not concerned', async () => {
  const world = await freshStore()
  const secret = async (tenant: string) =>
    (await world.keys.create({ name: tenant, scopes: ['work', 'read', 'enqueue'], tenant })).secret
  const [noisy, calm] = [bearer(await secret('noisy')), bearer(await secret('calm'))]
  for (const tenant of ['noisy', 'calm'])
    await world.queues.create('harvested', { tenant, preset: 'harvest' })
  const { jobId } = await world.enqueue(
    { queue: 'other', kind: 'k', delayMs: 3_600_000 },
    { tenant: 'noisy' },
  )
  const { call } = await serve(world, { limits: { waitsPerTenantMax: 2 } })
  const come = inLine()
  const claim = (headers: Record<string, string>, init = 'w') =>
    call('POST', '/api/v1/work/claim', { worker: init, queues: ['harvested'], wait_ms: 30_000 }, headers)
  const waiting = [claim(noisy), claim(noisy)]
  await until(() => come() === 2)
  const refused = await Promise.all([
    claim(noisy),
    call('POST', '/api/pull_job?wait_sec=30', {}, noisy),
    call('POST', '/api/v1/jobs/ends', { job_ids: [jobId], wait_ms: 30_000 }, noisy),
    call('GET', '/api/v1/events', undefined, noisy),
    call('GET', '/api/v1/events/next?wait_sec=30', undefined, noisy),
  ])
  for (const { status, body, headers } of refused) {
    expect([status, body.code, body.data]).toEqual([
      429,
      'limit_exceeded',
      { limit: 'waitsPerTenantMax', max: 2 },
    ])
    expect(headers.get('retry-after')).toBe('1')
  }
  // What does not wait is answered, and so are others.
  expect((await call('POST', '/api/pull_job', {}, noisy)).status).toBe(204)
  const other = claim(calm)
  await until(() => come() === 3)
  await world.enqueue({ queue: 'harvested', kind: 'k' }, { tenant: 'calm' })
  expect((await other).body.jobs).toHaveLength(1)
  // A place is free again when a wait is over.
  await world.enqueue({ queue: 'harvested', kind: 'k' }, { tenant: 'noisy' })
  await Promise.race(waiting)
  const next = claim(noisy)
  await until(() => come() === 4)
  for (let n = 0; n < 2; n++) await world.enqueue({ queue: 'harvested', kind: 'k' }, { tenant: 'noisy' })
  expect((await next).status).toBe(200)
  for (const each of waiting) expect((await each).body.jobs).toHaveLength(1)
})
