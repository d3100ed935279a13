// Schedules through the client, against a server over real sockets.
import { createClient } from 'holdfast/client'
import { beforeEach, expect, it } from 'vitest'
import { listening } from '../conformance/worlds.js'
import { pinnedStore, type World } from '../support/world.js'
import type * as definitions from './jobs.js'

const HOUR = 3_600_000
const queues = { resize: 'images' } as const
const at = (text: string) => new Date(`2030-01-01T${text}Z`)

let store: World
let server: { url: string; key: string }
let client: ReturnType<typeof createClient<typeof definitions.jobs>>
let schedules: (typeof client)['schedules']
beforeEach(async () => {
  store = await pinnedStore()
  const { url, key } = await listening(store)
  server = { url, key }
  client = createClient<typeof definitions.jobs>({ ...server, queues })
  schedules = client.schedules
})
const nightly = {
  name: 'nightly',
  kind: 'resize',
  input: { file: 'cat.png' },
  expression: '0 3 * * *',
} as const

it('a schedule is made, found, changed, renamed and deleted, with names and times as the library has them', async () => {
  const made = await schedules.create(
    { ...nightly, timeZone: 'Europe/Berlin', catchUp: 'all', catchUpMax: 3, jitterMs: 0 },
    { reason: 'asked for' },
  )
  expect(made).toMatchObject({
    ...nightly,
    // The queue that the client was told for the kind.
    queue: 'images',
    timeZone: 'Europe/Berlin',
    catchUpMax: 3,
    nextSlot: at('02:00:00'),
    nextRunAt: at('02:00:00'),
    lastRunAt: null,
    createdBy: 'tests',
    declared: null,
    overrides: [],
  })
  const {
    windowSince: _a,
    windowUntil: _b,
    windowBy: _c,
    windowNote: _d,
    revision: _e,
    ...known
  } = await store.schedules.get('nightly')
  expect(made).toEqual(known)
  expect(await schedules.get('nightly')).toEqual(made)
  const changed = await schedules.update('nightly', {
    timeZone: 'UTC',
    overlap: 'skip',
    description: 'sweeps',
  })
  expect(changed).toMatchObject({ overlap: 'skip', description: 'sweeps', nextRunAt: at('03:00:00') })
  expect(await schedules.update('nightly', { name: 'daily' })).toMatchObject({ name: 'daily' })
  expect(await schedules.disable('daily')).toMatchObject({ enabled: false })
  expect(await schedules.enable('daily')).toMatchObject({ enabled: true })
  await schedules.remove('daily', { reason: 'done' })
  await expect(schedules.get('daily')).rejects.toMatchObject({ code: 'unknown_schedule', status: 404 })
  await expect(schedules.create({ ...nightly, expression: '61 * * * *' })).rejects.toMatchObject({
    code: 'invalid_input',
    message: expect.stringContaining('position 1'),
  })
})

it('schedules are listed in pages, by name, and a kind without a queue of its own waits in default', async () => {
  for (const name of ['c', 'a', 'b'])
    await schedules.create({ name, kind: 'greet', input: { name: 'ada' }, expression: '@daily' })
  const first = await schedules.list({ limit: 2 })
  expect(first.schedules.map(({ name, queue }) => [name, queue])).toEqual([
    ['a', 'default'],
    ['b', 'default'],
  ])
  const rest = await schedules.list({ limit: 2, after: first.next ?? '' })
  expect(rest).toMatchObject({ schedules: [{ name: 'c' }], next: null })
})

it('one is paused with a note, explained, resumed, run, previewed, and its history comes in pages', async () => {
  await schedules.create({ ...nightly, expression: '@hourly' })
  expect(await schedules.pause('nightly', { reason: 'books' })).toBe(true)
  expect(await schedules.pause('nightly')).toBe(false)
  expect(await schedules.explain('nightly')).toEqual([
    {
      code: 'paused',
      blocking: true,
      sentence: 'It was paused by tests at 2030-01-01T00:00:00Z: books.',
      data: { since: at('00:00:00'), by: 'tests', note: 'books' },
    },
  ])
  expect(await schedules.resume('nightly')).toBe(true)
  const { jobId, deduplicated } = await schedules.run('nightly', { reason: 'to see it' })
  expect(deduplicated).toBe(false)
  expect(await client.job(jobId).job()).toMatchObject({ kind: 'resize', queue: 'images' })
  expect(await schedules.preview('nightly', 2)).toEqual([at('01:00:00'), at('02:00:00')])
  expect(await schedules.previewOf('30 9 * * *', 'Asia/Tokyo', 1)).toEqual([at('00:30:00')])
  await store.clock.advance(HOUR)
  await store.scheduler.fireDue()
  const first = await schedules.history('nightly', { limit: 1 })
  expect(first.firings).toMatchObject([
    { outcome: 'created', slot: at('01:00:00'), lastSlot: at('01:00:00'), firedAt: at('01:00:00') },
  ])
  expect(await schedules.history('nightly', { after: first.next ?? '' })).toMatchObject({
    firings: [{ outcome: 'manual', jobId, note: 'to see it', actor: 'tests' }],
    next: null,
  })
})

it('a maintenance window holds all of them, until its end or until it is lifted', async () => {
  expect(await schedules.maintenance()).toMatchObject({ open: false, since: null })
  expect(await schedules.pauseAll({ until: at('04:00:00'), reason: 'new disks' })).toEqual({
    open: true,
    since: at('00:00:00'),
    until: at('04:00:00'),
    pausedBy: 'tests',
    note: 'new disks',
  })
  expect(await schedules.resumeAll()).toBe(true)
  expect(await schedules.resumeAll()).toBe(false)
})

it('what was changed at run time is shown by the names of the library, and given up', async () => {
  await store.schedules.declare({ name: 'n', kind: 'k', expression: '@daily', timeZone: 'Asia/Tokyo' })
  const changed = await schedules.update('n', { timeZone: 'UTC', catchUp: 'skip' })
  expect(changed).toMatchObject({
    overrides: ['timeZone', 'catchUp'],
    declared: { timeZone: 'Asia/Tokyo', catchUp: 'latest', jitterMs: 0 },
  })
  expect(await schedules.reset('n')).toMatchObject({ timeZone: 'Asia/Tokyo', overrides: [] })
})

it('a call that would do something else the second time is sent once, the others again', async () => {
  await schedules.create(nightly)
  const asked: string[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    await globalThis.fetch(input, init)
    asked.push(init?.method ?? '')
    throw new TypeError('fetch failed', { cause: new Error('socket hang up') })
  }
  const shaky = createClient({ ...server, retries: 1, fetch }).schedules
  const calls = async (call: () => Promise<unknown>) => {
    asked.length = 0
    await expect(call()).rejects.toMatchObject({ code: 'server_unreachable' })
    return asked.length
  }
  expect(await calls(() => shaky.run('nightly'))).toBe(1)
  expect(await calls(() => shaky.create({ ...nightly, name: 'other' }))).toBe(1)
  expect(await calls(() => shaky.update('nightly', { priority: 3 }))).toBe(2)
  expect(await calls(() => shaky.pause('nightly'))).toBe(2)
  expect(await calls(() => shaky.update('nightly', { name: 'renamed' }))).toBe(1)
  expect(await calls(() => shaky.remove('renamed'))).toBe(1)
  expect((await store.schedules.list()).map(({ name }) => name)).toEqual(['other'])
  expect(await store.list.jobs({})).toMatchObject({ rows: [{ kind: 'resize' }] })
})
