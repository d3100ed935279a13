// The harvest preset over HTTP: settings.
import type { ClaimedJob } from 'holdfast/store'
import { expect, it } from 'vitest'
import { serve } from '../support/http.js'
import { pinnedStore } from '../support/world.js'

it('S0.11 settings are read and changed over HTTP, take effect without a restart, are validated and audited', async () => {
  const store = await pinnedStore()
  const { call } = await serve(store, {
    settingOrigin: (name) => (name === 'STALE_DAYS' ? 'env STALE_DAYS' : undefined),
  })
  const { settings } = (await call('GET', '/api/v1/settings')).body
  const values = Object.fromEntries(
    settings.map(({ name, value }: { name: string; value: number }) => [name, value]),
  )
  expect(values).toMatchObject({
    LEASE_SEC_DEFAULT: 60,
    BACKOFF_BASE_SEC: 30,
    BACKOFF_MAX_SEC: 3600,
    MAX_ATTEMPTS_DEFAULT: 5,
  })

  await store.queues.create('leads', { preset: 'harvest' })
  const { body: made } = await call('POST', '/api/v1/jobs', { queue: 'leads', kind: 'harvest' })
  const claim = async () => (await store.work.claim({ worker: 'w', queues: ['leads'] }))[0] as ClaimedJob
  const job = await claim()
  expect(job.expiresAt).toEqual(new Date('2030-01-01T00:01:00Z'))
  const set = (name: string, value: unknown, reason?: string) =>
    call('PUT', `/api/v1/settings/${name}`, { value, reason })
  expect(await set('MAX_ATTEMPTS_DEFAULT', 1, 'one try is enough')).toMatchObject({
    status: 200,
    body: { name: 'MAX_ATTEMPTS_DEFAULT', value: 1, default: 5, origin: 'set', updated_by: 'local' },
  })
  // As the setting is when the attempt fails, not as it was when the job was made.
  await store.work.finish([{ ...job, outcome: 'failed', error: 'no' }])
  expect((await call('GET', `/api/v1/jobs/${made.id}`)).body).toMatchObject({
    state: 'failed',
    attempt: 1,
    max_retries: 0,
  })

  expect((await set('LEASE_SEC_DEFAULT', 5)).status).toBe(200)
  await call('POST', '/api/v1/jobs', { queue: 'leads', kind: 'harvest' })
  expect((await claim()).expiresAt).toEqual(new Date('2030-01-01T00:00:05Z'))

  for (const value of [0, 1.5, -1, 86_401, '60', null])
    expect(await set('LEASE_SEC_DEFAULT', value)).toMatchObject({
      status: 400,
      body: { code: 'invalid_input' },
    })
  expect(await set('LEASE_SECS', 5)).toMatchObject({ status: 404, body: { code: 'unknown_setting' } })
  expect(await set('STALE_DAYS', 5)).toMatchObject({
    status: 409,
    body: { code: 'setting_overridden', detail: expect.stringContaining('env STALE_DAYS') },
  })
  expect((await call('DELETE', '/api/v1/settings/LEASE_SEC_DEFAULT')).body).toMatchObject({
    value: 60,
    origin: 'default',
  })

  const { calls } = (await call('GET', '/api/v1/audit?operation=setSetting')).body
  expect(calls.map(({ status }: { status: number }) => status)).toEqual([
    409, 404, 400, 400, 400, 400, 400, 400, 200, 200,
  ])
  expect(calls.at(-1)).toMatchObject({
    actor: 'local',
    reason: 'one try is enough',
    path: '/api/v1/settings/MAX_ATTEMPTS_DEFAULT',
  })
})
