// What a key of one tenant must not see or touch of another: errors of upkeep, workers of the same name, payloads at the end of jobs.
import { expect, it } from 'vitest'
import { REDACTED } from '../../src/server/access/redact.js'
import { PRESENCE } from '../support/presence.js'
import { login, sealedStore } from '../support/roles/sealed.js'
import { expectProblem, freshServer } from './world.js'

const NOTE = {
  name: 'schedules',
  everyMs: 60_000,
  durationMs: 1,
  rows: 0,
  runs: 1,
  rowsTotal: 0,
  failures: 1,
  agoMs: 0,
  lastChangeAgoMs: null,
  error: 'The schedule acme-secret-launch could not be fired: acme-words',
}

it('6.15 upkeep shows no tenant the words of another; those who see every tenant see them', async () => {
  const { call, key, store } = await freshServer()
  await store.upkeep.recordChores('node:1', [NOTE])
  const [bolt, everywhere] = [await key(['admin'], 'bolt'), await key(['read'], '*')]
  const of = async (secret: string) => {
    const { body } = await call('GET', '/api/v1/upkeep', { key: secret })
    return body.chores.find(({ name }: { name: string }) => name === 'schedules')
  }
  expect(await of(everywhere)).toMatchObject({ failures: 1, error: NOTE.error })
  const seen = await of(bolt)
  expect(seen).toMatchObject({ failures: 1, error: 'Only a key for all tenants sees the error.' })
  expect(JSON.stringify(seen)).not.toContain('acme')
})

it('6.15 the view of upkeep shows a role of one tenant no words of another', async () => {
  const store = await sealedStore()
  await store.upkeep.recordChores('node:1', [NOTE])
  const reader = await login(store, 'reader', ['bolt'])
  expect(await reader.upkeep.chores()).toMatchObject([
    { name: 'schedules', failures: 1, error: 'Only a role for all tenants sees the error.' },
  ])
  const all = await login(store, 'reader', ['*'])
  expect(await all.upkeep.chores()).toMatchObject([{ error: NOTE.error }])
})

const { tenant: _tenant, lagMs, ...said } = PRESENCE
const presence = { ...said, lag_ms: lagMs }

it('6.15 a worker under the name of another tenant’s is another worker: it sees none of its leases and stops nothing of it', async () => {
  const { call, key, store } = await freshServer()
  const [acme, bolt] = [await key(['work', 'operate'], 'acme'), await key(['work', 'operate'], 'bolt')]
  const beat = (secret: string, more: object = {}) =>
    call('POST', '/api/v1/work/heartbeat', { key: secret, body: { ...presence, worker: 'w1', ...more } })
  const workersOf = async (secret: string) =>
    (await call('GET', '/api/v1/workers', { key: secret })).body.workers
  const opened = await call('POST', '/api/v1/work/leases', {
    key: acme,
    body: { worker: 'w1', lease_ms: 60_000 },
  })
  await beat(acme, { host: 'acme-host' })
  // The name, the host and the pid are all that the other could know.
  expect((await beat(bolt, { host: 'acme-host' })).body).toEqual({ drain: false })
  expect(await workersOf(bolt)).toMatchObject([
    { worker: 'w1', lease: null, lease_expires_at: null, leases: 0 },
  ])
  expect(await workersOf(acme)).toMatchObject([{ worker: 'w1', lease: opened.body.lease, leases: 1 }])
  // Each drains its own.
  expect((await call('POST', '/api/v1/workers/w1/drain', { key: bolt })).body).toMatchObject({
    requested: true,
  })
  expect([
    (await beat(acme, { host: 'acme-host' })).body,
    (await beat(bolt, { host: 'acme-host' })).body,
  ]).toEqual([{ drain: false }, { drain: true }])
  expect((await call('POST', '/api/v1/workers/w1/drain', { key: acme })).body).toMatchObject({
    requested: true,
  })
  // And leaves by itself.
  expect(
    (await call('POST', '/api/v1/work/remove-worker', { key: bolt, body: { worker: 'w1' } })).status,
  ).toBe(204)
  expect(await workersOf(acme)).toHaveLength(1)
  expectProblem(await call('POST', '/api/v1/workers/w1/drain', { key: bolt }), 404, 'unknown_worker')
  // Nor does a worker that connects itself show its lease to a name over HTTP.
  await store.work.openLease('direct', 60_000)
  await store.work.heartbeat({ ...PRESENCE, worker: 'direct', tenant: 'acme' })
  await beat(bolt, { worker: 'direct' })
  expect(await workersOf(bolt)).toMatchObject([{ worker: 'direct', lease: null, leases: 0 }])
  expect((await workersOf(acme))[0]).toMatchObject({ worker: 'direct', leases: 1 })
})

it('6.15 the ends of jobs are redacted, also when a call has waited for them', async () => {
  const { call, store } = await freshServer({ redact: ['/secret'] })
  const end = async (jobId: number) => {
    const [job] = await store.work.claim({ worker: 'w', queues: ['q'] })
    if (job?.jobId !== jobId) throw new Error('it is not the job that was made')
    await store.work.finish([{ ...job, outcome: 'succeeded', result: { secret: 's3cr3t', open: 1 } }])
  }
  const ends = (jobId: number, wait_ms: number) =>
    call('POST', '/api/v1/jobs/ends', { body: { job_ids: [jobId], wait_ms } })
  const first = await store.enqueue({ queue: 'q', kind: 'k' })
  await end(first.jobId)
  const second = await store.enqueue({ queue: 'q', kind: 'k' })
  const waited = ends(second.jobId, 20_000)
  await end(second.jobId)
  for (const { text, body } of [await ends(first.jobId, 0), await waited]) {
    expect(body.ends).toMatchObject([{ result: { secret: REDACTED, open: 1 } }])
    expect(text).not.toContain('s3cr3t')
  }
})
