// What happens, as it happens: streams and long polls, whoever commits late and whoever reads slowly.
import type { Store } from 'holdfast/store'
import { expect, it } from 'vitest'
import { HTTP_LIMITS } from '../../src/server/http/limits.js'
import { serve } from '../support/http.js'
import { openSession } from '../support/sessions.js'
import { freshStore } from '../support/world.js'
import { Stream } from './sse.js'

const make = async (store: Store, more = {}, tenant = 'default') =>
  (await store.enqueue({ queue: 'q', kind: 'k', ...more }, { tenant })).jobId

const has = (jobId: number) => (stream: Stream) => stream.jobs.includes(jobId)

it('a stream tells what happens to jobs and how much is where, each with an id or none', async () => {
  const store = await freshStore()
  const { url } = await serve(store)
  const stream = await (await Stream.open(url)).settled()
  expect(stream.answer.headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
  })
  const jobId = await make(store)
  await stream.until(has(jobId))
  await store.commands.cancel(jobId, { actor: 'ada', reason: 'not needed' })
  await store.queues.pause('q', { actor: 'ada' })
  const isPaused = (each: (typeof stream.heard)[number]) => each.data.type === 'queue_paused'
  await stream.until(({ heard }) => heard.some(isPaused))
  const told = stream.heard.filter(({ event }) => event !== 'counts')
  expect(told).toMatchObject([
    { event: 'note', data: { type: 'queue_created' } },
    { event: 'job', data: { type: 'enqueued', job_ids: [jobId] } },
    { event: 'job', data: { type: 'canceled', job_ids: [jobId], actor: 'ada', reason: 'not needed' } },
    { event: 'note', data: { type: 'queue_paused', job_ids: [] } },
  ])
  expect(new Set(told.map(({ id }) => id)).size).toBe(told.length)
  await make(store)
  await stream.until(({ heard }) =>
    heard.some(({ event, data }) => event === 'counts' && data.queues[0]?.queued === 1),
  )
  expect(stream.heard.filter(({ event }) => event === 'counts').every(({ id }) => id === undefined)).toBe(
    true,
  )
})

it('one who comes back with the last id gets each event it has missed once, also from another server', async () => {
  const store = await freshStore()
  const [one, other] = [await serve(store), await serve(store)]
  const first = await (await Stream.open(one.url)).settled()
  const before = await make(store)
  await first.until(has(before))
  first.close()
  const missed = [await make(store), await make(store), await make(store)]
  for (const { url } of [one, other]) {
    const again = await Stream.open(url, { after: first.lastId })
    await again.until(has(missed[2] as number))
    const news = await make(store)
    await again.until(has(news))
    expect(again.jobs).toEqual([...missed, news])
    // The middle of a page is a place, too.
    const middle = again.heard.find(({ data }) => data.job_ids?.includes(missed[0]))?.id
    const third = await Stream.open(url, { after: middle })
    await third.until(has(news))
    expect(third.jobs).toEqual([...missed.slice(1), news])
    missed.push(news)
  }
  const byAddress = await Stream.open(other.url, {
    path: `/api/v1/events?after=${encodeURIComponent(first.lastId ?? '')}`,
  })
  await byAddress.until(has(missed.at(-1) as number))
  expect(byAddress.jobs).toEqual(missed)
})

it('what commits late is told when it commits, to those who stayed and to those who come back', async () => {
  const store = await freshStore()
  const { url } = await serve(store)
  const stays = await (await Stream.open(url)).settled()
  const goes = await (await Stream.open(url)).settled()
  const late = await openSession(store)
  await late.begin()
  const { jobId: first } = await late.enqueue({ queue: 'q', kind: 'k' }, { tx: late.client })
  const second = await make(store, { queue: 'other' })
  await Promise.all([stays.until(has(second)), goes.until(has(second))])
  goes.close()
  await late.commit()
  await stays.until(has(first))
  const back = await Stream.open(url, { after: goes.lastId })
  await back.until(has(first))
  const third = await make(store)
  await Promise.all([stays.until(has(third)), back.until(has(third))])
  expect(stays.jobs).toEqual([second, first, third])
  expect(back.jobs).toEqual([first, third])
})

it('a tenant hears of its own jobs and queues, and of nothing else', async () => {
  const store = await freshStore()
  const { url } = await serve(store)
  const keyOf = async (tenant: string) =>
    (await store.keys.create({ name: 'reader', scopes: ['read'], tenant })).secret
  const acme = await (await Stream.open(url, { key: await keyOf('acme') })).settled()
  const bolt = await (await Stream.open(url, { key: await keyOf('bolt') })).settled()
  const theirs = await make(store, {}, 'acme')
  const others = await make(store, {}, 'bolt')
  await Promise.all([acme.until(has(theirs)), bolt.until(has(others))])
  expect([acme.jobs, bolt.jobs]).toEqual([[theirs], [others]])
  await expect(Stream.open(url)).rejects.toThrow('401')
  const poor = (await store.keys.create({ name: 'worker', scopes: ['work'], tenant: 'acme' })).secret
  await expect(Stream.open(url, { key: poor })).rejects.toThrow('403')
})

it('what is no id of an event is refused', async () => {
  const { call } = await serve(await freshStore())
  for (const id of ['x', '1', '1:2', '1:2:|', "1:2:'", `1:${'2'.repeat(9_000)}:`]) {
    for (const path of ['/api/v1/events', '/api/v1/events/next']) {
      const { status, body } = await call('GET', `${path}?after=${encodeURIComponent(id)}`)
      expect([id.slice(0, 9), status, body.code]).toEqual([id.slice(0, 9), 400, 'invalid_input'])
    }
  }
  expect((await call('GET', '/api/v1/events', undefined, { 'last-event-id': 'x' })).status).toBe(400)
})

it('a long poll tells where to begin, waits for what comes, and misses nothing between two of them', async () => {
  const store = await freshStore()
  const { call } = await serve(store)
  const next = async (query: string) => (await call('GET', `/api/v1/events/next?${query}`)).body
  const begin = await next('')
  expect(begin).toEqual({ events: [], next_after: expect.stringMatching(/^\d/) })
  const after = (answer: { next_after: string }) => `after=${encodeURIComponent(answer.next_after)}`
  expect(await next(after(begin))).toMatchObject({ events: [] })
  const waiting = next(`${after(begin)}&wait_sec=30`)
  const first = await make(store, { queue: 'late' })
  let answer = await waiting
  const ids = () => answer.events.flatMap(({ job_ids }: { job_ids: number[] }) => job_ids)
  const seen: number[] = ids()
  const second = await make(store, { queue: 'late' })
  while (!seen.includes(second)) {
    answer = await next(`${after(answer)}&wait_sec=30`)
    seen.push(...ids())
  }
  expect(seen).toEqual([first, second])
})

/** Events with a hundred kilobytes each, as many as the ring cannot hold. */
const flood = (store: Store, count: number, word: string) =>
  store.database.query(
    `insert into holdfast.event (at, type, data) select holdfast.now(), $2 || n, to_jsonb(repeat('x', 100000)) from generate_series(1, $1) n`,
    [count, word],
  )

it('one who reads too slowly is cut off, is told how to go on, and then misses nothing; others do not notice', async () => {
  const store = await freshStore()
  const { url } = await serve(store)
  const slow = await (await Stream.open(url)).settled()
  const quick = await (await Stream.open(url)).settled()
  const types = ({ heard }: Stream) => heard.flatMap(({ data }) => data.type ?? [])
  slow.answer.pause()
  await flood(store, 150, 'a')
  await quick.until((stream) => types(stream).includes('a150'))
  await flood(store, 1, 'b')
  await quick.until((stream) => types(stream).includes('b1'))
  slow.answer.resume()
  await slow.end()
  const had = types(slow)
  expect(had.length).toBeLessThan(150)
  for (const { event, data } of slow.heard.slice(-1)) if (event === 'end') expect(data.reason).toBe('slow')
  const back = await Stream.open(url, { after: slow.lastId })
  await back.until((stream) => types(stream).includes('b1'))
  await flood(store, 1, 'c')
  await Promise.all([back, quick].map((stream) => stream.until((each) => types(each).includes('c1'))))
  const all = [...Array.from({ length: 150 }, (_, n) => `a${n + 1}`), 'b1', 'c1']
  expect([...had, ...types(back)]).toEqual(all)
  expect(types(quick)).toEqual(all)
})

it('a quiet stream says with a comment that it is there, again and again, and every 15 s unless somebody says otherwise', async () => {
  expect(HTTP_LIMITS.heartbeatMs).toBe(15_000)
  const { url } = await serve(await freshStore(), { limits: { heartbeatMs: 20 } })
  const stream = await (await Stream.open(url)).settled()
  await stream.until(({ comments }) => comments > 3)
  expect(stream.heard.filter(({ event }) => event !== 'counts')).toEqual([])
})

it('a stream ends after its time with the hint to come back', async () => {
  const { url } = await serve(await freshStore())
  const stream = await Stream.open(url, { path: '/api/v1/events?for_sec=0' })
  await stream.end()
  expect(stream.heard.at(-1)).toMatchObject({ event: 'end', data: { reason: 'time', retry_ms: 2_000 } })
})
