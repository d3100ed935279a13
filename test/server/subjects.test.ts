// Subjects, upkeep and the metrics of queues over HTTP.
import { expect, it } from 'vitest'
import { ChoreRunner } from '../../src/app/chores/chore-runner.js'
import { freshStore } from '../support/world.js'
import { expectProblem, freshServer, serverOn } from './world.js'

it('a subject is added, found, changed and removed', async () => {
  const { call, store } = await freshServer()
  await store.queues.create('crawls', { preset: 'crawl' })
  await store.queues.create('mail')
  const subject = { queue: 'crawls', name: 'r/rust', kind: 'crawl', input: { pages: 3 }, priority: 20 }
  const made = await call('POST', '/api/v1/subjects', { body: subject })
  expect(made).toMatchObject({ status: 201, body: { ...subject, last_success_at: null, enabled: true } })
  const at = `/api/v1/subjects/${made.body.id}`
  expect((await call('GET', at)).body).toEqual(made.body)
  expect(await call('PATCH', at, { body: { stale_after_ms: 86_400_000, enabled: false } })).toMatchObject({
    status: 200,
    body: { stale_after_ms: 86_400_000, enabled: false, priority: 20 },
  })
  expect((await call('PATCH', at, { body: { stale_after_ms: null } })).body).toMatchObject({
    stale_after_ms: null,
    enabled: false,
  })
  const wrong = await call('POST', '/api/v1/subjects', { body: { ...subject, queue: 'mail' } })
  expectProblem(wrong, 400, 'invalid_input')
  expect(wrong.body.detail).toContain('set dedup_by to subject')
  expectProblem(
    await call('POST', '/api/v1/subjects', { body: { ...subject, queue: 'no' } }),
    404,
    'unknown_queue',
  )
  expect((await call('DELETE', at)).status).toBe(204)
  expectProblem(await call('DELETE', at), 404, 'unknown_subject')
})

it('subjects are listed page by page, of one queue, by name, or only those that are due again', async () => {
  const { call, store } = await freshServer()
  await store.queues.create('crawls', { preset: 'crawl' })
  for (const name of ['a', 'b', 'c']) await store.subjects.add({ queue: 'crawls', name, kind: 'crawl' })
  await store.subjects.add({ queue: 'crawls', name: 'often', kind: 'crawl', staleAfterMs: 1 })
  const list = async (query: string) => {
    const { body } = await call('GET', `/api/v1/subjects?${query}`)
    return { names: body.subjects.map(({ name }: { name: string }) => name), next: body.next_page_token }
  }
  const first = await list('queue=crawls&page_size=3')
  expect(first.names).toEqual(['a', 'b', 'c'])
  expect(await list(`page_size=3&page_token=${first.next}`)).toEqual({ names: ['often'], next: null })
  expect((await list('name=b')).names).toEqual(['b'])
  expect((await list('stale=true')).names).toEqual(['often'])
  expectProblem(await call('GET', '/api/v1/subjects?queue=nowhere'), 404, 'unknown_queue')
})

it('what is another tenant’s subject is not there', async () => {
  const { call, key, store } = await freshServer()
  await store.queues.create('crawls', { preset: 'crawl', tenant: 'bolt' })
  const id = await store.subjects.add({ queue: 'crawls', name: 'r/rust', kind: 'crawl', tenant: 'bolt' })
  const acme = { key: await key(['operate'], 'acme') }
  const at = `/api/v1/subjects/${id}`
  for (const [method, body] of [['GET'], ['DELETE'], ['PATCH', { enabled: false }]] as const)
    expectProblem(
      await call(method, at, { ...acme, ...(body === undefined ? {} : { body }) }),
      404,
      'unknown_subject',
    )
  expect((await call('GET', '/api/v1/subjects', acme)).body.subjects).toEqual([])
  expect((await call('GET', at, { key: await key(['read'], 'bolt') })).status).toBe(200)
})

it('upkeep is shown chore by chore, and one is done when somebody asks for it', async () => {
  const store = await freshStore()
  const { call } = serverOn(store, { chores: new ChoreRunner(store) })
  const chore = async (name: string) =>
    (await call('GET', '/api/v1/upkeep')).body.chores.find((each: { name: string }) => each.name === name)
  expect(await chore('promote')).toMatchObject({ every_ms: 1_000, last_run_at: null, next_due_at: null })
  await store.enqueue({ queue: 'mail', kind: 'k', delayMs: 1 })
  await expect.poll(async () => (await call('POST', '/api/v1/upkeep/promote/run')).body.rows).toBe(1)
  expect(await chore('promote')).toMatchObject({ rows: 1, failures: 0, error: null, rows_total: 1 })
  expectProblem(await call('POST', '/api/v1/upkeep/promot/run'), 404, 'unknown_chore')
  const { body } = await call('POST', '/api/v1/upkeep/promot/run')
  expect(body.detail).toContain('Did you mean "promote"?')
})
