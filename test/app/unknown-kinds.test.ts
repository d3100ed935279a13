// Kinds that nobody has declared: refused where kinds are declared, accepted elsewhere, and what explain says then.
import { defineJob } from 'holdfast'
import { expect, it } from 'vitest'
import { holdfast as cli } from '../cli/run-holdfast.js'
import { freshApp } from '../support/app.js'
import { serve } from '../support/http.js'
import { freshStore, postgresUrl } from '../support/world.js'

const thumbnail = defineJob({ kind: 'thumbnail', queue: 'images', handler: () => 'done' })

async function withCatalogue() {
  const app = await freshApp({ jobs: [thumbnail] })
  const server = await serve(app.store)
  const enqueue = (queue: string, kind: string) => server.call('POST', '/api/v1/jobs', { queue, kind })
  const flags = ['--url', postgresUrl(), '--schema', app.store.schema]
  return { ...server, app, enqueue, flags }
}

it('S4.05 an unknown kind is refused with the nearest name over HTTP, and nothing is enqueued', async () => {
  const { app, enqueue, call } = await withCatalogue()
  const refused = await enqueue('images', 'thumnail')
  expect(refused).toMatchObject({ status: 400, body: { code: 'unknown_kind' } })
  expect(refused.body.detail).toContain(
    'No program has declared the kind "thumnail" of job for the queue "images". Did you mean "thumbnail"?',
  )
  expect((await enqueue('images', 'zebra')).body.detail).not.toContain('Did you mean')
  const jobs = [
    { queue: 'images', kind: 'thumbnail' },
    { queue: 'images', kind: 'thumbnial' },
  ]
  expect(await call('POST', '/api/v1/jobs/batch', { jobs })).toMatchObject({
    status: 400,
    body: { code: 'unknown_kind' },
  })
  expect(await app.store.work.depth(['images'])).toBe(0)
  expect((await enqueue('images', 'thumbnail')).status).toBe(201)
})

it('S4.05 the command line refuses an unknown kind, on a database and through a server', async () => {
  const { url, flags } = await withCatalogue()
  for (const way of [flags, ['--server', url]]) {
    const refused = await cli(['enqueue', 'images', 'thumnail', ...way])
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('Did you mean "thumbnail"?')
    expect(refused.stderr).toContain('unknownKinds')
    expect((await cli(['enqueue', 'images', 'thumbnail', ...way])).code).toBe(0)
  }
})

it('S4.05 the library and SQL refuse an unknown kind', async () => {
  const { app } = await withCatalogue()
  await expect(app.store.enqueue({ queue: 'images', kind: 'thumnail' })).rejects.toMatchObject({
    code: 'unknown_kind',
    details: { kind: 'thumnail', queue: 'images', nearest: 'thumbnail' },
  })
  await expect(
    app.store.database.query(`select holdfast.enqueue('images', 'thumnail')`),
  ).rejects.toMatchObject({
    code: 'unknown_kind',
  })
  // Calls that are made at the same time share an INSERT: one misspelt kind fails alone.
  const both = await Promise.allSettled(
    ['thumbnail', 'thumnail', 'thumbnail'].map((kind) => app.store.enqueue({ queue: 'images', kind })),
  )
  expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  // A program that enqueues by its own definition declares it with that.
  const late = defineJob({ kind: 'late', queue: 'images', handler: () => 'done' })
  expect((await app.enqueue(late, undefined)).id).toBeGreaterThan(0)
})

it('S4.05 a kind that is declared for another queue, and the kinds of Holdfast itself, are accepted', async () => {
  const { enqueue } = await withCatalogue()
  expect((await enqueue('other', 'thumbnail')).status).toBe(201)
  expect((await enqueue('images', 'holdfast.cancel')).status).toBe(201)
})

it('S4.05 a queue without declared kinds accepts every kind, and explain names the workers that handle it', async () => {
  const { app, call, enqueue } = await withCatalogue()
  const free = (await enqueue('letters', 'anything')).body.id
  const explained = async (id: number) => (await call('GET', `/api/v1/jobs/${id}/explain`)).body.reasons
  expect(await explained(free)).toMatchObject([
    { code: 'no_worker', sentence: 'No live worker claims from the queue letters.' },
  ])
  const store = app.store
  const beat = (worker: string, kinds: string[], queues: string[]) =>
    store.database.query(
      'select from holdfast.worker_heartbeat(p_worker => $1, p_tenant => $2, p_host => $3, p_pid => 1, p_version => $4, p_kinds => $5, p_queues => $6, p_slots => 1, p_busy => 0, p_lag_ms => 0, p_draining => false)',
      [worker, 'default', 'here', '1', kinds, queues],
    )
  await beat('w-mail', ['mail'], ['letters'])
  await beat('w-images', ['anything'], ['images'])
  const [reason] = await explained(free)
  expect(reason.sentence).toBe(
    'No live worker of the queue letters handles the kind anything (1 handles other kinds). These handle it and claim from other queues: w-images (images).',
  )
  expect(reason.data).toMatchObject({ elsewhere: ['w-images (images)'] })
  await beat('w-all', ['mail', 'anything'], ['letters'])
  expect(await explained(free)).toMatchObject([
    {
      code: 'undeclared_kind',
      blocking: false,
      sentence:
        'No program has declared its kind anything; live workers of the queue letters that handle it: w-all.',
    },
  ])
})

it('S4.05 a queue can accept kinds that no program has declared', async () => {
  const { enqueue, call, flags } = await withCatalogue()
  await enqueue('images', 'thumbnail')
  expect((await enqueue('images', 'new')).status).toBe(400)
  expect((await call('PATCH', '/api/v1/queues/images', { policy: { unknown_kinds: 'accept' } })).status).toBe(
    200,
  )
  expect((await enqueue('images', 'new')).status).toBe(201)
  const back = ['queues', 'update', 'images', '--policy', '{"unknownKinds":"refuse"}', ...flags]
  expect((await cli(back)).code).toBe(0)
  expect((await enqueue('images', 'new')).status).toBe(400)
})

it('S4.05 a schedule fires although its kind is not declared', async () => {
  const app = await freshApp({ jobs: [thumbnail] })
  await app.schedules.create({ name: 's', queue: 'images', kind: 'undeclared', expression: '@daily' })
  expect((await app.schedules.run('s')).jobId).toBeGreaterThan(0)
})

it('S4.05 without any declaration every kind is accepted', async () => {
  const store = await freshStore()
  expect((await store.enqueue({ queue: 'images', kind: 'whatever' })).jobId).toBe(1)
})
