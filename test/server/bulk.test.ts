// Bulk operations and saved views over HTTP.
import { expect, it } from 'vitest'
import { ChoreRunner } from '../../src/app/chores/chore-runner.js'
import { LIMITS } from '../../src/domain/limits.js'
import { failedJobs, statesOf } from '../store/bulk/failed-jobs.js'
import { pinnedStore } from '../support/world.js'
import { expectProblem, freshServer, serverOn } from './world.js'

it('a bulk operation is previewed, started once for a key, carried out at once, and shows a result per job', async () => {
  const store = await pinnedStore()
  const ids = await failedJobs(store, 4)
  const { call, key } = serverOn(store, { chores: new ChoreRunner(store) })
  const secret = await key(['operate'])
  const asked = { command: 'retry', q: 'state:failed' }
  const preview = await call('POST', '/api/v1/bulk/preview', { key: secret, body: asked })
  expect(preview.body).toMatchObject({
    matched: 4,
    matched_capped: false,
    applicable: 4,
    states: [{ state: 'failed', matched: 4, applicable: 4 }],
    until: '2030-01-01T00:00:00.000Z',
  })
  expect(preview.body.samples[0]).toMatchObject({ id: ids[3], state: 'failed', applies: true })
  const body = { ...asked, until: preview.body.until, reason: 'fixed' }
  const start = (said: object) =>
    call('POST', '/api/v1/bulk', { key: secret, headers: { 'idempotency-key': 'k' }, body: said })
  const started = await start(body)
  expect(started.status).toBe(202)
  expect(started.body).toMatchObject({ command: 'retry', expected: 4, created_by: 'key-1', reason: 'fixed' })
  const path = `/api/v1/bulk/${started.body.id}`
  for (;;) {
    const { body: operation } = await call('GET', path, { key: secret })
    if (operation.state !== 'done') continue
    expect(operation).toMatchObject({ matched: 4, done: 4, failed: 0, progress: 1, runner: null })
    break
  }
  expect(await statesOf(store, ids)).toEqual({ queued: 4 })
  const again = await start(body)
  expect(again).toMatchObject({ status: 200, body: { id: started.body.id } })
  expectProblem(await start({ ...body, q: 'state:canceled' }), 422, 'idempotency_mismatch')
  const first = await call('GET', `${path}/results?page_size=3`, { key: secret })
  expect(first.body.results.map(({ job_id }: { job_id: number }) => job_id)).toEqual(
    ids.toReversed().slice(0, 3),
  )
  const next = await call('GET', `${path}/results?page_token=${first.body.next_page_token}`, { key: secret })
  expect(next.body).toMatchObject({ results: [{ job_id: ids[0], ok: true }], next_page_token: null })
  expect((await call('GET', `${path}/results?ok=false`, { key: secret })).body.results).toEqual([])
  expect((await call('GET', '/api/v1/bulk?state=open', { key: secret })).body.operations).toEqual([])
  expectProblem(await call('POST', `${path}/abort`, { key: secret }), 409, 'bulk_ended')
  const { events } = (await call('GET', `/api/v1/jobs/${ids[0]}/events`, { key: secret })).body
  expect(events).toContainEqual(expect.objectContaining({ type: 'retried', actor: 'key-1', reason: 'fixed' }))
})

it('the audit log has one row for an operation, with actor and reason', async () => {
  const { call, key, store } = await freshServer()
  const secret = await key(['operate'])
  const admin = await key(['admin'])
  await failedJobs(store, 3)
  await call('POST', '/api/v1/bulk', {
    key: secret,
    body: { command: 'retry', q: 'state:failed', reason: 'fixed' },
  })
  for (;;) {
    const { body } = await call('GET', '/api/v1/audit', { key: admin })
    const rows = body.calls.filter(({ operation }: { operation: string }) => operation === 'startBulk')
    if (rows.length === 0) continue
    expect(rows).toMatchObject([{ actor: 'key-1', reason: 'fixed', status: 202 }])
    break
  }
})

it('a search with a mistake is refused with its place; a key that may only read cannot start', async () => {
  const { call, key } = await freshServer()
  const reader = await key(['read'])
  const wrong = await call('POST', '/api/v1/bulk/preview', {
    key: reader,
    body: { command: 'retry', q: 'kind:x stat:failed' },
  })
  expectProblem(wrong, 400, 'invalid_search')
  expect(wrong.body.detail).toContain('stat')
  expect(wrong.body.data).toMatchObject({ position: 7, nearest: 'state' })
  expectProblem(
    await call('POST', '/api/v1/bulk', { key: reader, body: { command: 'retry', q: '' } }),
    403,
    'scope_missing',
  )
})

it('an operation is aborted with a reason, and one of another tenant is unknown', async () => {
  const { call, key, store } = await freshServer()
  await failedJobs(store, 2)
  const secret = await key(['operate'])
  const other = await key(['operate'], 'other')
  const { body } = await call('POST', '/api/v1/bulk', {
    key: secret,
    body: { command: 'retry', q: 'state:failed' },
  })
  for (const [method, path] of [
    ['GET', ''],
    ['GET', '/results'],
    ['POST', '/abort'],
  ] as const)
    expectProblem(await call(method, `/api/v1/bulk/${body.id}${path}`, { key: other }), 404, 'unknown_bulk')
  const aborted = await call('POST', `/api/v1/bulk/${body.id}/abort`, {
    key: secret,
    body: { reason: 'wrong search' },
  })
  expect(aborted.body).toMatchObject({ state: 'aborted', aborted_by: 'key-1', abort_reason: 'wrong search' })
})

it('saved views are kept for the tenant, changed, and removed; a name is there once', async () => {
  const { call, key } = await freshServer()
  const secret = await key(['operate'])
  const save = (said: object) => call('POST', '/api/v1/views', { key: secret, body: said })
  const saved = await save({ name: 'Failed mail', q: 'state:failed queue:mail', columns: ['id', 'kind'] })
  expect(saved).toMatchObject({
    status: 201,
    body: { name: 'Failed mail', columns: ['id', 'kind'], sort: null, created_by: 'key-1' },
  })
  expectProblem(await save({ name: 'Failed mail', q: '' }), 409, 'view_name_taken')
  expectProblem(await save({ name: 'Broken', q: 'state:nonsense' }), 400, 'invalid_search')
  const path = `/api/v1/views/${saved.body.id}`
  const changed = await call('PATCH', path, { key: secret, body: { q: 'state:errored', columns: null } })
  expect(changed.body).toMatchObject({ name: 'Failed mail', q: 'state:errored', columns: null })
  expectProblem(await call('PATCH', path, { key: secret, body: { q: 'age>' } }), 400, 'invalid_search')
  await save({ name: 'Another', q: '' })
  expectProblem(await call('PATCH', path, { key: secret, body: { name: 'Another' } }), 409, 'view_name_taken')
  const reader = await key(['read'])
  const { body } = await call('GET', '/api/v1/views', { key: reader })
  expect(body.views.map(({ name }: { name: string }) => name)).toEqual(['Another', 'Failed mail'])
  expectProblem(await call('DELETE', path, { key: reader }), 403, 'scope_missing')
  const other = await key(['operate'], 'other')
  expectProblem(await call('DELETE', path, { key: other }), 404, 'unknown_view')
  expect((await call('GET', '/api/v1/views', { key: other })).body.views).toEqual([])
  expect((await call('DELETE', path, { key: secret })).status).toBe(204)
  expectProblem(await call('DELETE', path, { key: secret }), 404, 'unknown_view')
})

it('a view keeps to its limits: one below, at it, one above', async () => {
  const { call, key, store } = await freshServer()
  const secret = await key(['operate'])
  const save = async (said: object) =>
    (await call('POST', '/api/v1/views', { key: secret, body: said })).status
  const { savedViewNameChars, savedViewColumnsMax, savedViewsMax, searchChars } = LIMITS
  const columns = (count: number) => Array.from({ length: count }, (_, i) => `c${i}`)
  for (const [less, status] of [
    [1, 201],
    [0, 201],
    [-1, 400],
  ] as const) {
    const name = 'n'.repeat(savedViewNameChars.hardMax - less)
    expect(await save({ name, q: '' })).toBe(status)
    expect(await save({ name: `q${less}`, q: 'q'.repeat(searchChars.hardMax - less) })).toBe(status)
    expect(
      await save({ name: `c${less}`, q: '', columns: columns(savedViewColumnsMax.hardMax - less) }),
    ).toBe(status)
  }
  expect(await save({ name: '', q: '' })).toBe(400)
  await store.database.query(
    `insert into holdfast.saved_view (tenant, name, q, created_at, updated_at)
     select 'default', 'v' || i, '', now(), now()
     from generate_series((select count(*) from holdfast.saved_view) + 1, $1 - 1) i`,
    [savedViewsMax.default],
  )
  expect(await save({ name: 'the last', q: '' })).toBe(201)
  expect(await save({ name: 'one too many', q: '' })).toBe(429)
})
