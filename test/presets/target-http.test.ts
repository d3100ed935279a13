// The target preset over HTTP: blocked targets, and tenants with their keys and limits.
import type { ClaimedJob } from 'holdfast/store'
import { expect, it } from 'vitest'
import { bearer, serve } from '../support/http.js'
import { freshStore, pinnedStore } from '../support/world.js'

it('S3.10 an endpoint lists blocked targets with cause and age, and resume, skip and cancel each let the target go on', async () => {
  const store = await freshStore()
  await store.queues.create('talks', { preset: 'target' })
  const { call } = await serve(store)
  const make = async () =>
    (await call('POST', '/api/v1/jobs', { queue: 'talks', kind: 'talk', target: 'ada' })).body.id
  const jobs = [await make(), await make(), await make(), await make()]
  const fail = async () => {
    const [job] = await store.work.claim({ worker: 'w', queues: ['talks'] })
    await store.work.finish([{ ...(job as ClaimedJob), outcome: 'failed', error: new Error('no answer') }])
    return job?.jobId
  }
  const blocked = async () => (await call('GET', '/api/v1/targets?queue=talks')).body.targets
  expect(await blocked()).toEqual([])
  for (const [n, command] of ['resume', 'skip', 'cancel'].entries()) {
    const head = command === 'resume' ? jobs[0] : jobs[n - 1]
    expect(await fail()).toBe(head)
    const [target] = await blocked()
    expect(target).toMatchObject({
      queue: 'talks',
      target: 'ada',
      job_id: head,
      state: 'errored',
      last_error: 'no answer',
      behind: 4 - (n === 0 ? 1 : n),
    })
    expect(target.blocked_ms).toBeGreaterThanOrEqual(0)
    expect(Date.parse(target.since)).not.toBeNaN()
    const { href } = target.actions.find((action: { command: string }) => action.command === command)
    expect((await call('POST', href, { reason: 'looked at it' })).status).toBe(200)
    expect(await blocked()).toEqual([])
  }
  expect((await store.read.job(jobs[2] as number)).state).toBe('queued')
  expect((await call('POST', `/api/v1/jobs/${jobs[2]}/skip`)).body).toMatchObject({ code: 'wrong_state' })
})

it('S3.11 tenants are isolated in data and keys, and each is held to its own limits: live jobs, enqueues a second, payload bytes', async () => {
  const store = await pinnedStore()
  let ms = 0
  const adminKey = 'the-key-of-the-installation'
  const { call } = await serve(store, { adminKey, limits: { keyCacheMs: 0 }, now: () => ms })
  const keyOf = async (tenant: string) =>
    (await store.keys.create({ tenant, name: 'app', scopes: ['enqueue', 'admin'] })).secret
  const [acme, bolt] = [await keyOf('acme'), await keyOf('bolt')]
  const make = (key: string, input: unknown = 1) =>
    call('POST', '/api/v1/jobs', { queue: 'q', kind: 'k', input }, bearer(key))
  const limit = (limits: object) => call('PATCH', '/api/v1/tenants/acme', limits, bearer(adminKey))

  const { body: made } = await make(bolt)
  expect(await call('GET', `/api/v1/jobs/${made.id}`, undefined, bearer(acme))).toMatchObject({ status: 404 })
  expect((await call('GET', '/api/v1/keys', undefined, bearer(acme))).body.keys).toMatchObject([
    { tenant: 'acme' },
  ])
  expect(await call('PATCH', '/api/v1/tenants/acme', { max_live_jobs: 1_000 }, bearer(acme))).toMatchObject({
    status: 403,
  })

  await limit({ max_live_jobs: 3 })
  for (let n = 0; n < 3; n++) expect((await make(acme)).status).toBe(201)
  const over = await make(acme)
  expect(over).toMatchObject({
    status: 429,
    body: { code: 'limit_exceeded', data: { limit: 'max_live_jobs', max: 3 } },
  })
  expect(over.headers.get('retry-after')).toBe('1')
  expect((await make(bolt)).status).toBe(201)

  await limit({ max_live_jobs: null, payload_bytes_max: 100 })
  expect((await make(acme, 'x'.repeat(98))).status).toBe(201)
  expect(await make(acme, 'x'.repeat(99))).toMatchObject({
    status: 429,
    body: { data: { limit: 'payload_bytes_max' } },
  })
  expect((await make(bolt, 'x'.repeat(99))).status).toBe(201)

  await limit({ payload_bytes_max: null, enqueues_per_second: 2 })
  expect([(await make(acme)).status, (await make(acme)).status]).toEqual([201, 201])
  expect(await make(acme)).toMatchObject({
    status: 429,
    body: { data: { limit: 'enqueues_per_second', max: 2 } },
  })
  expect((await make(bolt)).status).toBe(201)
  ms += 500
  expect((await make(acme)).status).toBe(201)
})
