// A stream lives no longer than the key that opened it.
import type { Store } from 'holdfast/store'
import { expect, it } from 'vitest'
import { serve } from '../support/http.js'
import { freshStore } from '../support/world.js'
import { Stream } from './sse.js'

const follow = async (store: Store, name: string) => {
  const { url } = await serve(store)
  const { id, secret } = await store.keys.create({ name, scopes: ['read'] })
  const stream = await (await Stream.open(url, { key: secret })).settled()
  return { id, secret, url, stream }
}

const goodbye = (stream: Stream) =>
  stream.heard.filter(({ event }) => event === 'end').map(({ data }) => data.reason)

it.each(['revoked', 'rotated without an overlap'] as const)(
  'a stream whose key is %s elsewhere ends by itself, and one with another key goes on',
  async (how) => {
    const store = await freshStore()
    const { id, stream, url } = await follow(store, 'going')
    const { secret } = await store.keys.create({ name: 'staying', scopes: ['read'] })
    const other = await (await Stream.open(url, { key: secret })).settled()
    if (how === 'revoked') await store.keys.revoke(id)
    else await store.keys.rotate(id, { overlapMs: 0 })
    await stream.end()
    expect(goodbye(stream)).toEqual(['key'])
    const { jobId } = await store.enqueue({ queue: 'q', kind: 'k' })
    await other.until(({ jobs }) => jobs.includes(jobId))
  },
)

it('a stream goes on while its key is rotated with an overlap', async () => {
  const store = await freshStore()
  const { id, stream } = await follow(store, 'rotated')
  await store.keys.rotate(id)
  const { jobId } = await store.enqueue({ queue: 'q', kind: 'k' })
  await stream.until(({ jobs }) => jobs.includes(jobId))
  expect(stream.ended).toBe(false)
})

it('a stream whose key runs out ends with the next thing that happens', async () => {
  const store = await freshStore()
  const { id, stream } = await follow(store, 'short')
  // Rotated, it learns of its end; that is over when the next event comes.
  await store.keys.rotate(id, { overlapMs: 50 })
  await expect
    .poll(async () => {
      await store.enqueue({ queue: 'q', kind: 'k' })
      return stream.ended
    })
    .toBe(true)
  expect(goodbye(stream)).toEqual(['key'])
})

it('a stream opened without a key ends when the first key is made', async () => {
  const store = await freshStore()
  const { url } = await serve(store)
  const stream = await (await Stream.open(url)).settled()
  await store.keys.create({ name: 'first', scopes: ['read'] })
  await stream.end()
  expect(goodbye(stream)).toEqual(['key'])
})

it('that events cannot be read is told once in the log, and streams go on when they can', async () => {
  const store = await freshStore()
  const told: string[] = []
  const log = {
    info: () => {},
    warn: () => {},
    debug: () => {},
    error: (_fields: object, message: string) => told.push(message),
  }
  const { url } = await serve(store, { log })
  const stream = await (await Stream.open(url)).settled()
  const rename = (from: string, to: string) =>
    store.database.script(`alter function ${store.schema}.${from} rename to ${to}`)
  const [{ name } = { name: '' }] = await store.database.query<{ name: string }>(
    `select p.oid::regprocedure::text as name from pg_proc p where p.proname = 'feed' and p.pronamespace = '${store.schema}'::regnamespace`,
  )
  const args = name.slice(name.indexOf('('))
  await rename(`feed${args}`, 'feed_away')
  await expect.poll(() => told).toContain('event feed query failed; retrying')
  await rename(`feed_away${args}`, 'feed')
  const { jobId } = await store.enqueue({ queue: 'q', kind: 'k' })
  await stream.until(({ jobs }) => jobs.includes(jobId))
  expect(told).toEqual(['event feed query failed; retrying'])
})
