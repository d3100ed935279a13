// The client against a server over real sockets, with a worker that works for that server.

import { work } from 'holdfast'
import { createClient, HoldfastError, JobCanceled, JobFailed } from 'holdfast/client'
import type { RemoteWorkOptions } from 'holdfast/jobs'
import { expect, it, onTestFinished } from 'vitest'
import { listening } from '../conformance/worlds.js'
import { PRESENCE } from '../support/presence.js'
import { pinnedStore } from '../support/world.js'
import { until } from '../worker/world.js'
import * as definitions from './jobs.js'

const queues = { resize: 'images' } as const

async function world() {
  const store = await pinnedStore()
  const { url, key, close } = await listening(store)
  const client = createClient<typeof definitions.jobs>({ url, key, queues })
  const start = async (options: Partial<RemoteWorkOptions> = {}) => {
    const working = await work({ server: { url, key }, jobs: definitions.jobs, name: 'remote', ...options })
    onTestFinished(async () => {
      await working.drain({ graceMs: 0 })
    })
    return working
  }
  return { store, url, key, close, client, start }
}

/** A fetch whose first answers are lost: the request arrives, the caller never hears of it. */
function losing(count: number) {
  const seen: (string | null)[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const answer = await globalThis.fetch(input, init)
    seen.push(new Headers(init?.headers).get('idempotency-key'))
    if (seen.length <= count) throw new TypeError('fetch failed', { cause: new Error('socket hang up') })
    return answer
  }
  return { fetch, seen }
}

it('a job made by a client is done by a worker of the server, and its result comes back with its types', async () => {
  const { client, start, store } = await world()
  await start()
  const handle = await client.enqueue('resize', { file: 'cat.png' })
  expect(await handle.result()).toEqual({ file: 'cat.png', bytes: 1000, at: '1970-01-01T00:00:00.000Z' })
  expect(await handle.status()).toBe('succeeded')
  expect(await handle.job()).toMatchObject({ queue: 'images', kind: 'resize', finishedAt: expect.any(Date) })
  expect(await handle.explain()).toMatchObject([{ code: 'ended', data: { state: 'succeeded' } }])
  expect(await handle.history()).toMatchObject({ state: 'succeeded' })
  expect(await store.read.attempts(handle.id)).toMatchObject([{ worker: 'remote' }])
  const many = await client.enqueueMany('greet', [{ name: 'ada' }, { name: 'bob' }], {
    each: (_input, n) => ({ key: `greet ${n}` }),
  })
  expect(await Promise.all(many.map((one) => one.result()))).toEqual(['hello ada', 'hello bob'])
})

it('a handler of a remote worker makes children, checked and keyed as their definition says', async () => {
  const { client, start, store } = await world()
  await start()
  const made = await client.enqueue('parent', { name: 'eve' })
  const child = client.job<string>((await made.result()) as number)
  expect(await child.result()).toBe('hello eve')
  expect(await store.read.job(child.id)).toMatchObject({ kind: 'greet', queue: 'default' })
  expect(await child.job()).toMatchObject({ parentId: made.id })
})

it('a job that fails or is canceled throws what the library throws', async () => {
  const { client, start } = await world()
  await start()
  const failed = await client.enqueue('fails', { how: 'give up' })
  const error = await failed.result().catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(JobFailed)
  expect(error).toMatchObject({
    details: { jobId: failed.id, errorMessage: 'no such page', reason: 'not_retryable' },
  })
  const canceled = await client.enqueue('fails', { how: 'cancel' })
  await expect(canceled.result()).rejects.toBeInstanceOf(JobCanceled)
})

it('waiting can be given up, and waits for nothing that is not there', async () => {
  const { client } = await world()
  const handle = await client.enqueue('greet', { name: 'ada' })
  await expect(handle.result({ timeoutMs: 10 })).rejects.toMatchObject({ code: 'deadline_exceeded' })
  const stop = new AbortController()
  const waiting = handle.result({ signal: stop.signal })
  stop.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
  await expect(client.job(999_999).result()).rejects.toMatchObject({ code: 'unknown_job' })
  expect(await handle.cancel({ reason: 'not needed' })).toMatchObject({
    result: 'canceled',
    state: 'canceled',
  })
  await expect(handle.result()).rejects.toMatchObject({ reason: 'not needed' })
})

it('a refusal is a HoldfastError with code, remedy, place and the id of the request', async () => {
  const { client, url } = await world()
  const refused = await client
    .enqueue('resize', { file: 'x' }, { priority: 101 })
    .catch((thrown: unknown) => thrown)
  expect(refused).toBeInstanceOf(HoldfastError)
  expect(refused).toMatchObject({
    code: 'invalid_input',
    status: 400,
    remedy: expect.stringContaining('Correct the value'),
    details: { path: '/priority', requestId: expect.any(String) },
  })
  expect((refused as HoldfastError).message).not.toContain((refused as HoldfastError).remedy)
  const stranger = createClient({ url, key: 'hf_wrong' })
  await expect(stranger.list()).rejects.toMatchObject({ code: 'unauthorized', status: 401 })
  await expect(createClient({ url: 'http://127.0.0.1:1', retries: 0 }).list()).rejects.toMatchObject({
    code: 'server_unreachable',
  })
  expect(() => createClient({ url: 'localhost' })).toThrow(/must be the address of a server/)
})

it('an enqueue whose answer is lost is sent again with the same key and makes one job', async () => {
  const { client, url, key } = await world()
  const { fetch, seen } = losing(2)
  const shaky = createClient<typeof definitions.jobs>({ url, key, queues, fetch })
  const made = await shaky.enqueue('greet', { name: 'ada' })
  expect(seen).toHaveLength(3)
  expect(new Set(seen).size).toBe(1)
  expect(seen[0]).toMatch(/^[0-9a-f]{32}$/)
  expect((await client.list()).jobs.map(({ id }) => id)).toEqual([made.id])
})

it('a command that would do something else the second time is not repeated', async () => {
  const { client, url, key } = await world()
  const made = await client.enqueue('greet', { name: 'ada' })
  const { fetch, seen } = losing(1)
  const shaky = createClient({ url, key, fetch })
  await expect(shaky.jobs.boost(made.id)).rejects.toMatchObject({ code: 'server_unreachable' })
  expect(seen).toHaveLength(1)
  expect(await made.job()).toMatchObject({ priority: 10 })
})

it('a server that is busy is asked again when it says so', async () => {
  const { url, key } = await world()
  let calls = 0
  const busy: typeof globalThis.fetch = async (input, init) => {
    calls += 1
    if (calls > 1) return globalThis.fetch(input, init)
    const problem = { code: 'limit_exceeded', status: 429, detail: 'Slower. Wait.', remedy: 'Wait.' }
    return Response.json(problem, { status: 429, headers: { 'retry-after': '0' } })
  }
  expect(await createClient({ url, key, fetch: busy }).list()).toEqual({ jobs: [], next: null })
  expect(calls).toBe(2)
})

it('jobs are listed in pages, and steered', async () => {
  const { client, store } = await world()
  const [first, second] = await client.enqueueMany('greet', [{ name: 'a' }, { name: 'b' }])
  const page = await client.list({ limit: 1, kind: 'greet' })
  expect(page.jobs).toMatchObject([{ id: second?.id, state: 'queued', createdAt: expect.any(Date) }])
  const rest = await client.list({ limit: 1, kind: 'greet', after: page.next ?? '' })
  expect(rest.jobs).toMatchObject([{ id: first?.id }])
  expect(await client.jobs.boost(first?.id ?? 0, 30)).toBe(30)
  expect(await client.jobs.setPriority(first?.id ?? 0, 5)).toBe(5)
  await client.jobs.cancel(first?.id ?? 0)
  expect(await client.jobs.retry(first?.id ?? 0)).toMatchObject({ state: 'queued' })
  expect(await client.queues.pause('default', { reason: 'lunch' })).toBe(true)
  expect(await client.queues.list()).toMatchObject({
    queues: [{ name: 'default', pausedBy: 'tests', pauseReason: 'lunch' }],
  })
  expect(await client.queues.resume('default')).toBe(true)
  expect(await client.queues.blockedTargets()).toEqual([])
  await store.work.heartbeat(PRESENCE)
  expect(await client.workers.list()).toMatchObject([{ worker: 'w', heartbeatAt: expect.any(Date) }])
  expect(await client.workers.drain('w')).toBe(true)
})

it('a remote worker drains when somebody asks it to, and leaves nothing behind', async () => {
  const { client, start, store } = await world()
  const working = await start({ leaseMs: 6_000 })
  await until(async () => (await store.workers.list()).length === 1)
  await client.workers.drain('remote', { reason: 'new version' })
  await until(async () => (await working.stats()).every(({ state }) => state === 'stopped'))
  expect(await store.workers.list()).toEqual([])
  expect(await store.database.query('select id from holdfast.lease')).toEqual([])
})

it('a remote worker whose server was away goes on when it is back', async () => {
  const { client, store, url, key, close, start } = await world()
  let away = false
  const fetch: typeof globalThis.fetch = (input, init) =>
    away ? Promise.reject(new TypeError('fetch failed')) : globalThis.fetch(input, init)
  await start({ server: { url, key, fetch }, pollMs: 20 })
  expect(await (await client.enqueue('greet', { name: 'one' })).result()).toBe('hello one')
  away = true
  const { jobId } = await store.enqueue({ queue: 'default', kind: 'greet', input: { name: 'two' } })
  away = false
  expect(await client.job(jobId).result()).toBe('hello two')
  await close()
})

it('a remote worker renews a lease whose length is no multiple of three', async () => {
  const leaseMs = 2_000
  const { start, store } = await world()
  await start({ leaseMs })
  const leases = () =>
    store.database.query<{ id: string; ms: number }>(
      'select id, extract(epoch from expires_at - opened_at) * 1000 as ms from holdfast.lease',
    )
  await until(async () => (await leases()).length === 1)
  const [opened] = await leases()
  await store.clock.advance(100)
  await until(async () => Number((await leases())[0]?.ms) === leaseMs + 100)
  expect(await leases()).toMatchObject([{ id: opened?.id }])
})
