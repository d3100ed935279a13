// A call that waits looks at its key again before it answers.

import type { Scope } from 'holdfast/server'
import type { Store } from 'holdfast/store'
import { expect, it } from 'vitest'
import { bearer, serve } from '../support/http.js'
import { expectHealthy, freshStore } from '../support/world.js'
import { Stream } from './sse.js'

/** A server that asks for keys each time, and how many calls it has let in. */
async function server(store: Store) {
  let calls = 0
  let gate = Promise.resolve()
  const served = await serve(store, {}, (app) =>
    app.addHook('preHandler', async () => {
      calls++
      await gate
    }),
  )
  /** Makes a call, and resolves when it was let in; with what it will answer. */
  const begin = async (secret: string | undefined, method: string, path: string, body?: unknown) => {
    const before = calls
    const headers = secret === undefined ? {} : bearer(secret)
    const answer = served.call(method, path, body, headers)
    await expect.poll(() => calls).toBe(before + 1)
    return { answer }
  }
  /** Calls that were let in go no further until the answer is called. */
  const hold = () => {
    let release = () => {}
    gate = new Promise((resolve) => {
      release = resolve
    })
    return release
  }
  return { ...served, begin, hold }
}

const keyOf = (store: Store, ...scopes: Scope[]) => store.keys.create({ name: 'going', scopes })
const JOB = { queue: 'q', kind: 'k' }

it.each([
  ['a claim', '/api/v1/work/claim', { worker: 'w', queues: ['q'], limit: 5, wait_ms: 20_000 }],
  ['a pull', '/api/pull_job', { queue: 'q', worker_id: 'w', wait_sec: 20 }],
])('6.15 %s that waits gets no job when its key was revoked meanwhile', async (_what, path, body) => {
  const store = await freshStore()
  await store.queues.create('q', { preset: 'harvest' })
  const { begin } = await server(store)
  const { id, secret } = await keyOf(store, 'work')
  const { answer } = await begin(secret, 'POST', path, body)
  await store.keys.revoke(id)
  const { jobId } = await store.enqueue(JOB)
  expect(await answer).toMatchObject({ status: 401, body: { code: 'unauthorized' } })
  // Nothing was charged, and another gets it at once.
  const [job] = await store.work.claim({ worker: 'other', queues: ['q'] })
  expect(job).toMatchObject({ jobId, failures: 0, losses: 0 })
  await expectHealthy(store)
})

it('6.15 a wait for work says nothing to a key that was revoked meanwhile', async () => {
  const store = await freshStore()
  await store.queues.create('q')
  const { begin, call, hold } = await server(store)
  const { id, secret } = await keyOf(store, 'work')
  const path = '/api/v1/work/wait'
  const { body } = await call('POST', path, { queues: ['q'], wait_ms: 0 }, bearer(secret))
  const waiting = { queues: ['q'], wait_ms: 20_000, seen: body.seen }
  // A line may have signs that came late: it must not be one of those that ends the wait before the key is revoked.
  const release = hold()
  const { answer } = await begin(secret, 'POST', path, waiting)
  await store.keys.revoke(id)
  await store.enqueue(JOB)
  release()
  expect(await answer).toMatchObject({ status: 401 })
})

it('6.15 a wait for ends says nothing to a key that was revoked meanwhile', async () => {
  const store = await freshStore()
  const { jobId } = await store.enqueue(JOB)
  const asked = { job_ids: [jobId], wait_ms: 20_000 }
  const { begin } = await server(store)
  const { id, secret } = await keyOf(store, 'read')
  const { answer } = await begin(secret, 'POST', '/api/v1/jobs/ends', asked)
  await store.keys.revoke(id)
  const [job] = await store.work.claim({ worker: 'w', queues: ['q'] })
  if (job === undefined) throw new Error('there is no job')
  await store.work.finish([{ ...job, outcome: 'succeeded', result: { secret: 1 } }])
  const { status, body } = await answer
  expect({ status, ends: body.ends }).toEqual({ status: 401, ends: undefined })
})

it('6.15 a wait for events says nothing to a key that was revoked meanwhile', async () => {
  const store = await freshStore()
  const { begin, call } = await server(store)
  const { id, secret } = await keyOf(store, 'read')
  const first = await call('GET', '/api/v1/events/next', undefined, bearer(secret))
  const path = `/api/v1/events/next?wait_sec=20&after=${encodeURIComponent(first.body.next_after)}`
  const { answer } = await begin(secret, 'GET', path)
  await store.keys.revoke(id)
  await store.enqueue(JOB)
  expect(await answer).toMatchObject({ status: 401 })
})

it('6.15 a stream tells nothing of what happened after its key was revoked', async () => {
  const store = await freshStore()
  const { url } = await serve(store)
  const { id, secret } = await store.keys.create({ name: 'going', scopes: ['read'] })
  const stream = await (await Stream.open(url, { key: secret })).settled()
  await store.keys.revoke(id)
  const { jobId } = await store.enqueue(JOB)
  await stream.end()
  expect(stream.jobs).not.toContain(jobId)
})

it('6.15 a wait at a server that needed no key gets nothing when the first key was made meanwhile', async () => {
  const store = await freshStore()
  await store.queues.create('q')
  const { begin } = await server(store)
  const { answer } = await begin(undefined, 'POST', '/api/v1/work/claim', {
    worker: 'w',
    queues: ['q'],
    limit: 1,
    wait_ms: 20_000,
  })
  await store.keys.create({ name: 'first', scopes: ['read'] })
  await store.enqueue(JOB)
  expect(await answer).toMatchObject({ status: 401 })
})
