// What the audit log keeps, and what would only bury it.
import { expect, it } from 'vitest'
import { HTTP_LIMITS } from '../../src/server/http/limits.js'
import { freshServer } from './world.js'

const knocking = async (times: number) => {
  let ms = 0
  const { app, call, key, store } = await freshServer({ now: () => ms })
  const known = await key(['read'])
  const knock = async (count: number) => {
    for (let n = 0; n < count; n++)
      await call('POST', '/api/v1/queues', { body: { name: 'q' }, key: `hf_guess${n}` })
  }
  await knock(times)
  return { app, call, store, known, knock, pass: (more: number) => (ms += more) }
}

it.each([-1, 0, 1])(
  'refused calls of unknown callers have a row each up to unauthenticatedRowsPerMinute, and share one beyond (%i)',
  async (more) => {
    const most = HTTP_LIMITS.unauthenticatedRowsPerMinute
    const { app, store } = await knocking(most + more)
    await app.close()
    const rows = await store.audit.list({ limit: 500 })
    expect(rows).toHaveLength(Math.min(most + more, most + 1))
    expect(rows.filter(({ reason }) => reason !== null)).toHaveLength(more > 0 ? 1 : 0)
    expect(new Set(rows.map(({ actor, code }) => `${actor} ${code}`))).toEqual(
      new Set(['anonymous unauthorized']),
    )
  },
)

it('the row that many share says how many they were, and the next minute begins anew', async () => {
  const { app, store, knock, pass } = await knocking(HTTP_LIMITS.unauthenticatedRowsPerMinute + 5)
  pass(59_999)
  await knock(1)
  pass(1)
  await knock(1)
  await app.close()
  const [last, shared] = await store.audit.list({ limit: 2 })
  expect(shared?.reason).toBe(
    'one row for 6 unauthenticated calls from 1 addresses; this row shows the last of them',
  )
  expect(last).toMatchObject({ reason: null, status: 401 })
})

it('a caller who is known has a row for each refusal, however many unknown ones there are', async () => {
  const { app, call, store, known } = await knocking(HTTP_LIMITS.unauthenticatedRowsPerMinute + 5)
  for (let n = 0; n < 3; n++) await call('POST', '/api/v1/queues', { body: { name: 'q' }, key: known })
  await app.close()
  expect((await store.audit.list({ actor: 'key-1' })).map(({ code }) => code)).toEqual(
    Array(3).fill('scope_missing'),
  )
})

it('work that goes well leaves no row, work that is refused does', async () => {
  const { app, call, key, store } = await freshServer()
  const worker = await key(['work'])
  await store.queues.create('harvest', { preset: 'harvest' })
  const said = { worker: 'w', queues: ['q'] }
  const { lease } = (
    await call('POST', '/api/v1/work/leases', { body: { worker: 'w', lease_ms: 1_000 }, key: worker })
  ).body
  await call('POST', '/api/v1/work/claim', { body: { ...said, lease }, key: worker })
  await call('POST', '/api/v1/work/renew', { body: { leases: [lease] }, key: worker })
  expect((await call('GET', '/api/pull_job', { key: worker })).status).toBe(204)
  await call('POST', '/api/v1/work/claim', { body: { ...said, lease: 999 }, key: worker })
  await call('POST', '/api/v1/work/claim', { body: { ...said, limit: 0 }, key: worker })
  await app.close()
  expect((await store.audit.list()).map(({ operation, code }) => [operation, code])).toEqual([
    ['claimJobs', 'invalid_input'],
    ['claimJobs', 'lease_gone'],
  ])
})
