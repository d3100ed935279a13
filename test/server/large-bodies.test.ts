// One tenant sends bodies as large and as costly as it can; what others notice of it.
import type { Store } from 'holdfast/store'
import { openPostgres, storeOn } from 'holdfast/store'
import { expect, it, onTestFinished } from 'vitest'
import { giveWay, mapInSlices } from '../../src/domain/give-way.js'
import { LargeBodies } from '../../src/server/http/body/large-bodies.js'
import { bearer, serve } from '../support/http.js'
import { freshStore, postgresUrl } from '../support/world.js'
import { until } from '../worker/world.js'
import { expectProblem, freshServer } from './world.js'

const MIB = 1024 * 1024
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
const batchOf = (input: string) => `{"jobs":[{"queue":"noise","kind":"k","input":${input}}]}`

/** 1,000 jobs, each with an input of about so many bytes. */
const batch = (bytes: number) =>
  JSON.stringify({
    jobs: Array.from({ length: 1_000 }, () => ({ queue: 'noise', kind: 'k', input: ['x'.repeat(bytes)] })),
  })

const LONG_NUMBER = {
  code: 'invalid_input',
  errors: [{ problem: 'has a number of more than 400 characters' }],
}
const TOO_DEEP = { code: 'too_deep', data: { limit: 'bodyDepthMax', max: 256 } }
const TOO_MANY = { code: 'payload_too_large', data: { limit: 'bodyValuesMax', max: 500_000 } }

it.each([
  ['a number of 5.9 MiB', batchOf('7'.repeat(5.9 * MIB)), 400, LONG_NUMBER],
  ['a fraction of 5 MiB', batchOf(`0.${'7'.repeat(5 * MIB)}`), 400, LONG_NUMBER],
  ['a number of 10 kB', batchOf('7'.repeat(10_000)), 400, LONG_NUMBER],
  ['2,500,000 levels', batchOf(nested(2_500_000)), 400, TOO_DEEP],
  ['5,000 levels', batchOf(nested(5_000)), 400, TOO_DEEP],
  ['levels that never close', batchOf('['.repeat(5 * MIB)), 400, TOO_DEEP],
  ['1,000,000 values', batchOf(`[${'0,'.repeat(1_000_000)}0]`), 413, TOO_MANY],
])('6.16 a body with %s is refused while it is read', async (_what, body, status, problem) => {
  const { call, store } = await freshServer()
  const heard = await call('POST', '/api/v1/jobs/batch', { body })
  expectProblem(heard, status, problem.code)
  expect(heard.body).toMatchObject(problem)
  expect((await store.list.jobs({})).rows).toEqual([])
})

it('6.16 the event loop turns while a large body is read: once for every 64 KiB, however many are read at once', async () => {
  const { call } = await freshServer({ limits: { keyCacheMs: 600_000 } })
  // It ends too early, so that nothing but the reading takes any time.
  const body = batch(5_000).slice(0, -1)
  expectProblem(await call('POST', '/api/v1/jobs/batch', { body: '{' }), 400, 'invalid_input')
  let turns = 0
  let isOver = false
  const count = () => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const answers = await Promise.all(
    Array.from({ length: 3 }, () => call('POST', '/api/v1/jobs/batch', { body })),
  )
  isOver = true
  for (const answer of answers) expectProblem(answer, 400, 'invalid_input')
  expect(turns).toBeGreaterThanOrEqual(3 * Math.floor(body.length / (64 * 1024)))
})

it('6.16 long work is done one slice in a turn, however many works there are', async () => {
  const done: string[] = []
  const works = ['a', 'b', 'c'].map(async (name) => {
    for (let n = 0; n < 3; n++) {
      await giveWay()
      done.push(name)
    }
  })
  const perTurn: number[] = []
  for (let before = 0; done.length < 9; before = done.length) {
    await new Promise((resolve) => setImmediate(resolve))
    perTurn.push(done.length - before)
  }
  await Promise.all(works)
  expect(Math.max(...perTurn)).toBe(1)
  expect(done.slice(0, 6).sort()).toEqual(['a', 'a', 'b', 'b', 'c', 'c'])
  expect(await mapInSlices([1, 2, 3], (each, index) => each * index)).toEqual([0, 2, 6])
})

it('6.16 so many large bodies of a tenant, and of all, are inside at once; the next wait their turn', async () => {
  const places = new LargeBodies({ largeBodiesMax: 3, largeBodiesPerTenantMax: 2 })
  const never = new AbortController().signal
  const leaving = [await places.enter('noisy', never), await places.enter('noisy', never)]
  const entered: string[] = []
  const gone = new AbortController()
  const waiting = ['noisy', 'calm', 'calm'].map((tenant, n) =>
    places.enter(tenant, n === 2 ? gone.signal : never).then(
      (leave) => {
        entered.push(tenant)
        return leave
      },
      () => () => {},
    ),
  )
  await giveWay()
  // The second of noisy waits, and is passed by one of calm.
  expect([entered, places.inside, places.waiting]).toEqual([['calm'], 3, 2])
  gone.abort()
  leaving[0]?.()
  leaving[0]?.()
  await giveWay()
  expect([entered, places.inside, places.waiting]).toEqual([['calm', 'noisy'], 3, 0])
  for (const leave of [...leaving, ...(await Promise.all(waiting))]) leave()
  expect(places.inside).toBe(0)
})

/** A server with few connections on the same schema, and what holds up every job that comes in until it is let go. */
async function heldUp(world: Store, connections: number) {
  const raw = openPostgres({ url: postgresUrl(), connections })
  onTestFinished(() => raw.close())
  const served = await serve(storeOn(raw, world.schema), { limits: { keyCacheMs: 60_000 } })
  let letGo = () => {}
  const gone = new Promise<void>((resolve) => {
    letGo = resolve
  })
  let isHeld = () => {}
  const held = new Promise<void>((resolve) => {
    isHeld = resolve
  })
  const holding = world.database.transaction(
    async (session) => {
      await session.script('lock table holdfast.job in share row exclusive mode')
      isHeld()
      await gone
    },
    { deadlineMs: 60_000 },
  )
  await held
  const release = async () => {
    letGo()
    await holding
  }
  onTestFinished(release)
  const blocked = async () => {
    const [row] = await world.database.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database() and query like '%enqueue%'`,
    )
    return row?.n ?? 0
  }
  return { ...served, release, blocked }
}

const SIZES = { large: batch(300), small: batch(0).replace(/^.*?\[(.*?)\},.*$/, '{"jobs":[$1}]}') }

it.each(['large', 'small'] as const)(
  '6.16 eight %s batches of one tenant that hold up every connection they may have do not hold up another tenant’s renewals and finishes',
  async (size) => {
    const world = await freshStore()
    const secret = async (tenant: string) =>
      (await world.keys.create({ name: tenant, scopes: ['enqueue', 'work', 'read'], tenant })).secret
    const [noisy, calm] = [bearer(await secret('noisy')), bearer(await secret('calm'))]
    await world.queues.create('noise', { tenant: 'noisy' })
    await world.enqueue({ queue: 'q', kind: 'k' }, { tenant: 'calm' })
    const { call, release, blocked, url } = await heldUp(world, 4)
    const work = (path: string, body: object) => call('POST', `/api/v1/work/${path}`, body, calm)
    const { lease } = (await work('leases', { worker: 'w', lease_ms: 60_000 })).body
    const claimed = (await work('claim', { worker: 'w', queues: ['q'], lease })).body.jobs
    expect(claimed).toHaveLength(1)
    const sent = Array.from({ length: 8 }, () =>
      fetch(`${url}/api/v1/jobs/batch`, {
        method: 'POST',
        headers: { ...noisy, 'content-type': 'application/json' },
        body: SIZES[size],
      }),
    )
    // As many as may stand in the database do: half of what is not kept for workers, or all of it.
    await until(async () => (await blocked()) === (size === 'large' ? 1 : 3))
    expect((await work('renew', { leases: [lease] })).body.leases).toMatchObject([{ lease, alive: true }])
    const { job_id, attempt } = claimed[0]
    const ended = await work('finish', { jobs: [{ job_id, attempt, lease, outcome: 'succeeded' }] })
    expect(ended.body.jobs).toMatchObject([{ accepted: true }])
    if (size === 'large') expect((await call('GET', '/api/v1/jobs', undefined, calm)).status).toBe(200)
    await release()
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(Array(8).fill(201))
  },
)
