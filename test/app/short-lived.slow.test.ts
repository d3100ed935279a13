/** Producers that live for a job or two: their end takes no time, and their jobs start at once. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { defineJob, holdfast } from 'holdfast'
import type { Store } from 'holdfast/store'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openSession } from '../support/sessions.js'
import { freshStore, postgresUrl, serverUrl } from '../support/world.js'

const PROGRAM = fileURLToPath(new URL('./programs/short-lived.js', import.meta.url))
/** A worker that nothing wakes would ask again only then. */
const NEVER_MS = 600_000

interface Ended {
  readonly left: readonly string[]
  readonly endedInMs: number
}

async function produce(store: Store, how: string): Promise<Ended> {
  const args = JSON.stringify({ url: postgresUrl(), schema: store.schema, how })
  const child = spawn(process.execPath, [PROGRAM, args], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk
  })
  await new Promise((resolve) => child.on('close', resolve))
  return JSON.parse(said) as Ended
}

/** A worker that only wake-ups bring to its jobs; `done(n)` resolves when it has run so many, with how many it has run. */
async function wokenWorker(store: Store) {
  let ran = 0
  let look = () => {}
  const job = defineJob({
    kind: 'k',
    queue: 'q',
    handler: () => {
      ran += 1
      look()
    },
  })
  const app = await holdfast({ store, url: postgresUrl(), jobs: [job] })
  onTestFinished(() => app.stop())
  await app.queues.create('q')
  const working = await app.work({ pollMs: NEVER_MS })
  const wakeups = app.store.wakeups()
  await working.idle()
  return {
    app,
    wakeups,
    done: (count: number) =>
      new Promise<number>((resolve) => {
        look = () => ran >= count && resolve(ran)
        look()
      }),
  }
}

/** Counts the wake-ups that are sent, on a connection of its own. */
async function countWakes(store: Store) {
  const client = new pg.Client({ connectionString: serverUrl() })
  await client.connect()
  onTestFinished(() => client.end())
  const payloads: string[] = []
  client.on('notification', ({ payload }) => payloads.push(payload ?? ''))
  await client.query(`listen "${store.schema}_wake"`)
  return {
    payloads,
    /** All that was sent before has come when this returns. */
    settled: async () => {
      await client.query(`notify "${store.schema}_wake", 'mark'`)
      await expect.poll(() => payloads.filter((payload) => payload === 'mark').length).toBeGreaterThan(0)
      return payloads.splice(0).filter((payload) => payload !== 'mark')
    },
  }
}

/** As somebody writes it in psql. */
const SQL = `select t_fresh.enqueue('q', 'k')`

describe('a program that opens, enqueues and stops', () => {
  it.each(['one', 'keyed', 'many', 'several'])('6.09 ends at once, with no timer left (%s)', async (how) => {
    const { left, endedInMs } = await produce(await freshStore(), how)
    expect(left).toEqual([])
    expect(endedInMs).toBeLessThan(4_000)
  })

  it.each(['one', 'many', 'several'])('6.09 has its jobs started at once (%s)', async (how) => {
    const store = await freshStore()
    const worker = await wokenWorker(store)
    await produce(store, how)
    const count = how === 'one' ? 1 : 3
    expect(await worker.done(count)).toBe(count)
  })

  it('6.09 its first enqueue carries the wake-up in its own commit', async () => {
    const store = await freshStore()
    const wakes = await countWakes(store)
    await produce(store, 'one')
    expect(await wakes.settled()).toHaveLength(1)
  })
})

describe('plain SQL', () => {
  it('6.09 wakes a worker', async () => {
    const store = await freshStore()
    const worker = await wokenWorker(store)
    const session = await openSession(store)
    for (let n = 1; n <= 3; n += 1) {
      await session.client.query(SQL)
      expect(await worker.done(n)).toBe(n)
    }
  })

  it('6.09 wakes nobody with "wake": false, nor for a job that is for later', async () => {
    const store = await freshStore()
    await store.queues.create('q')
    const wakes = await countWakes(store)
    const { client } = await openSession(store)
    await client.query(`select t_fresh.enqueue('q', 'k', '{}', '{"wake": false}')`)
    await client.query(`select t_fresh.enqueue('q', 'k', '{}', '{"delay_ms": 60000}')`)
    await client.query(`select n from t_fresh.enqueue_many('[{"queue": "q", "kind": "k"}]', p_wake => false)`)
    expect(await wakes.settled()).toEqual([])
    await client.query(SQL)
    expect(await wakes.settled()).toHaveLength(1)
  })

  it('6.09 wakes when it commits, once, however long that takes, and not when it rolls back', async () => {
    const store = await freshStore()
    const worker = await wokenWorker(store)
    const wakes = await countWakes(store)
    const { client } = await openSession(store)
    await client.query('begin')
    for (let n = 0; n < 10; n += 1) await client.query(SQL)
    await client.query('rollback')
    expect(await wakes.settled()).toEqual([])
    await client.query('begin')
    for (let n = 0; n < 10; n += 1) await client.query(SQL)
    await client.query('select pg_sleep(0.4)')
    await client.query('commit')
    await worker.done(10)
    expect(await wakes.settled()).toHaveLength(1)
  })

  it('6.09 is not kept from waking by a transaction that has not committed', async () => {
    const store = await freshStore()
    const worker = await wokenWorker(store)
    const [open, other] = [await openSession(store), await openSession(store)]
    await open.begin()
    await open.client.query(SQL)
    await other.client.query(SQL)
    expect(await worker.done(1)).toBe(1)
    await open.commit()
    expect(await worker.done(2)).toBe(2)
  })

  it('6.09 notifies at most once in ten milliseconds for a queue, and every job is found', async () => {
    const store = await freshStore()
    const worker = await wokenWorker(store)
    const wakes = await countWakes(store)
    const sessions = await Promise.all([1, 2, 3].map(() => openSession(store)))
    const began = performance.now()
    const each = 100
    await Promise.all(
      sessions.map(async ({ client }) => {
        for (let n = 0; n < each; n += 1) await client.query(SQL)
      }),
    )
    const ms = performance.now() - began
    await worker.done(each * sessions.length)
    expect((await wakes.settled()).length).toBeLessThanOrEqual(ms / 10 + sessions.length)
  })

  it('6.09 in a transaction that a library made jobs in, the commit wakes, however late', async () => {
    const store = await freshStore()
    const worker = await wokenWorker(store)
    const caller = await openSession(store)
    await caller.begin()
    await worker.app.store.enqueue({ queue: 'q', kind: 'k' }, { tx: caller.client })
    await caller.client.query('select pg_sleep(0.4)')
    await caller.commit()
    expect(await worker.done(1)).toBe(1)
  })
})
