// What the worker protocol adds to the port: waiting in line, tenants, and how waits end. The port itself is proven in test/conformance.
import { expect, it, onTestFinished, vi } from 'vitest'
import { ClaimWaiters } from '../../src/server/work/claim-waiters.js'
import { Work } from '../../src/store/work.js'
import { listening } from '../conformance/worlds.js'
import { pinnedStore, type World } from '../support/world.js'
import { until } from '../worker/world.js'
import { expectProblem, freshServer } from './world.js'

const LONG = { queues: ['work'], wait_ms: 30_000 }

async function world() {
  const store = await pinnedStore()
  const server = await listening(store)
  const post = async (path: string, body: object, init: RequestInit = {}) => {
    const answer = await fetch(`${server.url}/api/v1/work/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...init,
    })
    // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects to find
    return { status: answer.status, body: (await answer.json()) as any }
  }
  return { store, server, post }
}

const make = async (store: World) => (await store.enqueue({ queue: 'work', kind: 'k' })).jobId

/** Looks for jobs in the database, as the server makes them. */
function looksForJobs() {
  const looks = vi.spyOn(Work.prototype, 'claim')
  onTestFinished(() => looks.mockRestore())
  return looks
}

/** Claims that have come to a line. */
function claimsInLine() {
  const claims = vi.spyOn(ClaimWaiters.prototype, 'claim')
  onTestFinished(() => claims.mockRestore())
  return claims
}

it('a claim that waits is answered when a job comes', async () => {
  const { store, post } = await world()
  const looks = looksForJobs()
  const waiting = post('claim', { worker: 'w', ...LONG })
  await until(() => looks.mock.results.length > 0)
  const jobId = await make(store)
  expect((await waiting).body.jobs).toMatchObject([{ job_id: jobId, attempt: 1, queue: 'work' }])
})

it('one job for many that wait goes to one of them, and brings no stampede to the database', async () => {
  const { store, post } = await world()
  const looks = looksForJobs()
  const inLine = claimsInLine()
  const answered: number[] = []
  const claims = Array.from({ length: 30 }, (_none, n) =>
    post('claim', { worker: `w${n}`, ...LONG }).then(({ body }) => answered.push(...body.jobs.map(idOf))),
  )
  await until(() => inLine.mock.calls.length >= 30)
  const before = looks.mock.calls.length
  const jobId = await make(store)
  await until(() => answered.length > 0)
  expect(answered).toEqual([jobId])
  expect(looks.mock.calls.length - before).toBeLessThan(15)
  const others = await store.enqueueMany(Array.from({ length: 29 }, () => ({ queue: 'work', kind: 'k' })))
  await Promise.all(claims)
  expect(answered.sort((one, other) => one - other)).toEqual([jobId, ...others.map((one) => one.jobId)])
})

it('whoever hangs up leaves the line, and the job goes to the next', async () => {
  const { store, post } = await world()
  const inLine = claimsInLine()
  const gone = new AbortController()
  const ghost = post('claim', { worker: 'ghost', ...LONG }, { signal: gone.signal })
  await until(() => inLine.mock.calls.length > 0)
  const next = post('claim', { worker: 'next', ...LONG })
  await until(() => inLine.mock.calls.length > 1)
  gone.abort()
  await expect(ghost).rejects.toThrow()
  const jobId = await make(store)
  // Should the ghost have been first all the same, what it took is given back and comes to the next.
  expect((await next).body.jobs).toMatchObject([{ job_id: jobId }])
  expect(await store.read.job(jobId)).toMatchObject({ leaseOwner: 'next', failures: 0, losses: 0 })
})

it('a server that stops ends its waits with an answer, and closes', async () => {
  const { server, post } = await world()
  const looks = looksForJobs()
  const claim = post('claim', { worker: 'w', ...LONG })
  await until(() => looks.mock.results.length > 0)
  const { seen } = (await post('wait', { ...LONG })).body
  const heard = vi.spyOn(ClaimWaiters.prototype, 'wait')
  onTestFinished(() => heard.mockRestore())
  const wait = post('wait', { ...LONG, seen })
  await until(() => heard.mock.calls.length > 0)
  await server.close()
  expect(await claim).toMatchObject({ status: 200, body: { jobs: [] } })
  // Woken or not: a listener that has just connected wakes everybody, in case it missed something.
  expect(await wait).toMatchObject({ status: 200, body: { woken: expect.any(Boolean) } })
})

it('a wait hears of work that came between two calls', async () => {
  const { store, post } = await world()
  const first = await post('wait', { ...LONG })
  expect(first.body).toMatchObject({ woken: true, seen: expect.any(String) })
  // Signs are heard a moment after the listening has begun; until then each call is answered at once.
  let seen = first.body.seen
  await make(store)
  await until(async () => {
    const { body } = await post('wait', { queues: ['work'], wait_ms: 0, seen })
    return body.woken
  })
  seen = (await post('wait', { ...LONG })).body.seen
  const waiting = post('wait', { ...LONG, seen })
  await make(store)
  expect((await waiting).body.woken).toBe(true)
})

it('a heartbeat with presence tells what is paused, and whether to drain', async () => {
  const { store, post } = await world()
  await store.queues.create('work', {})
  await store.queues.create('other', {})
  await store.queues.pause('work')
  await store.queues.pause('other')
  const { lease } = (await post('leases', { worker: 'w', lease_ms: 30_000 })).body
  const presence = {
    worker: 'w',
    host: 'h',
    pid: 1,
    version: '1',
    kinds: ['k'],
    queues: ['work'],
    slots: 1,
    busy: 0,
  }
  const beat = () => post('renew', { leases: [lease, 999], presence })
  expect((await beat()).body).toMatchObject({
    leases: [
      { lease, alive: true },
      { lease: 999, alive: false, cancel: [], revoked: [] },
    ],
    drain: false,
    paused: ['work'],
  })
  await store.workers.drain('w')
  expect((await beat()).body).toMatchObject({ drain: true })
})

it('the leases and jobs of a tenant are nobody else’s to touch, whatever numbers are guessed', async () => {
  const { store, call, key } = await freshServer()
  const acme = await key(['work'], 'acme')
  const bolt = await key(['work'], 'bolt')
  const as = (secret: string) => (path: string, body: object) =>
    call('POST', `/api/v1/work/${path}`, { key: secret, body })
  const [own, other] = [as(acme), as(bolt)]
  const { jobId } = await store.enqueue({ queue: 'work', kind: 'k' }, { tenant: 'acme' })
  await store.enqueue({ queue: 'work', kind: 'k' }, { tenant: 'bolt' })
  const { lease } = (await own('leases', { worker: 'w', lease_ms: 30_000 })).body
  const [job] = (await own('claim', { worker: 'w', lease, queues: ['work'] })).body.jobs
  expect(job.job_id).toBe(jobId)
  const fence = { job_id: jobId, attempt: 1, lease }
  await own('heartbeat', {
    worker: 'w',
    host: 'h',
    pid: 1,
    version: '1',
    kinds: [],
    queues: ['work'],
    slots: 1,
    busy: 0,
  })
  const before = await store.read.job(jobId)

  expect((await other('renew', { leases: [lease] })).body.leases).toMatchObject([
    { alive: false, expires_at: null },
  ])
  expect((await other('leases/close', { lease })).body).toEqual({ released: 0 })
  expect((await other('release-unlisted', { lease, jobs: [], older_than_ms: 0 })).body).toEqual({
    released: 0,
  })
  expectProblem(await other('claim', { worker: 'w', lease, queues: ['work'] }), 409, 'lease_gone')
  expect((await other('start', { jobs: [fence] })).body).toEqual({ jobs: [] })
  expectProblem(await other('report', { ...fence, items: [1] }), 409, 'lease_lost')
  expect((await other('finish', { jobs: [{ ...fence, outcome: 'failed' }] })).body.jobs).toMatchObject([
    { accepted: false, state: null },
  ])
  await other('remove-worker', { worker: 'w' })
  expect((await other('depth', { queues: ['work'] })).body).toEqual({ depth: 1 })

  expect(await store.read.job(jobId)).toEqual(before)
  expect(await store.workers.list({ tenant: 'acme' })).toHaveLength(1)
  // A lease that a worker opened at the database is not reached from here at all.
  const direct = await store.work.openLease('direct', 30_000)
  expect((await own('renew', { leases: [direct.lease] })).body.leases).toMatchObject([{ alive: false }])
  // What bolt could not do, acme can.
  expect((await own('finish', { jobs: [{ ...fence, outcome: 'succeeded' }] })).body.jobs).toMatchObject([
    { accepted: true, state: 'succeeded' },
  ])
})

it.each([
  ['claim', { worker: 'w', queues: ['q'], limit: 1_000 }, { limit: 1_001 }, '/limit'],
  ['claim', { worker: 'w', queues: ['q'], wait_ms: 0 }, { wait_ms: 30_001 }, '/wait_ms'],
  ['leases', { worker: 'w', lease_ms: 1_000 }, { lease_ms: 999 }, '/lease_ms'],
  ['leases', { worker: 'w'.repeat(100), lease_ms: 86_400_000 }, { worker: 'w'.repeat(101) }, '/worker'],
  ['claim', { worker: 'w', queues: ['q'] }, { queues: [] }, '/queues'],
  ['depth', { queues: ['q'], max: 10_000 }, { max: 10_001 }, '/max'],
])(
  '%s takes what is within its limits and names the place of what is not',
  async (path, fine, wrong, pointer) => {
    const { call } = await freshServer()
    const send = (body: object) => call('POST', `/api/v1/work/${path}`, { body })
    expect((await send(fine)).status).toBeLessThan(300)
    const refused = await send({ ...fine, ...wrong })
    expectProblem(refused, 400, 'invalid_input')
    expect(refused.body.errors).toMatchObject([{ in: 'body', pointer }])
  },
)

it('the ends of jobs are waited for, those of one tenant only', async () => {
  const { store, call, key } = await freshServer()
  const { jobId: mine } = await store.enqueue({ queue: 'work', kind: 'k' }, { tenant: 'acme' })
  const { jobId: theirs } = await store.enqueue({ queue: 'work', kind: 'k' }, { tenant: 'bolt' })
  const acme = await key(['read'], 'acme')
  const ask = (job_ids: number[], wait_ms: number) =>
    call('POST', '/api/v1/jobs/ends', { key: acme, body: { job_ids, wait_ms } })
  expect((await ask([mine, theirs, 999], 30_000)).body).toEqual({ ends: [], unknown: [theirs, 999] })
  const waiting = ask([mine], 30_000)
  const [job] = await store.work.claim({ worker: 'w', queues: ['work'], tenant: 'acme' })
  if (job === undefined) throw new Error('nothing was claimed')
  await store.work.finish([{ ...job, outcome: 'succeeded', result: { n: 1 } }])
  expect((await waiting).body.ends).toMatchObject([{ job_id: mine, state: 'succeeded', result: { n: 1 } }])
})

const idOf = ({ job_id }: { job_id: number }) => job_id

it('a report sent twice with the same seq counts once, and the next one is added', async () => {
  const { store, post } = await world()
  await make(store)
  const [job] = (await post('claim', { worker: 'w', queues: ['work'] })).body.jobs
  const { job_id, attempt, lease } = job
  const report = (seq: number, tokens: number) => post('report', { job_id, attempt, lease, seq, tokens })
  expect((await report(1, 5)).body).toMatchObject({ tokens_used: 5 })
  expect((await report(1, 5)).body).toMatchObject({ tokens_used: 5 })
  expect((await report(2, 7)).body).toMatchObject({ tokens_used: 12 })
  expect((await report(2 ** 31, 1)).status).toBe(400)
  expect((await report(-1, 1)).status).toBe(400)
})

it('a change of the number of workers is kept as an event of the tenant', async () => {
  const { call, key, store } = await freshServer()
  const decision = { worker: 'w', group: 'g', from: 1, to: 3, depth: 40, reason: 'depth' }
  const body = { worker: 'w', host: 'h', pid: 1, version: '1', kinds: [], queues: ['q'], slots: 1, busy: 0 }
  const acme = await key(['work'], 'acme')
  await call('POST', '/api/v1/work/heartbeat', { body, key: acme })
  const kept = await call('POST', '/api/v1/work/scale', { body: decision, key: acme })
  expect([kept.status, kept.text]).toEqual([204, ''])
  const events = (await store.read.feed('all')).events.filter(({ type }) => type === 'workers_scaled')
  expect(events).toMatchObject([{ reason: 'depth', data: { group: 'g', from: 1, to: 3, depth: 40 } }])
  const refused = await call('POST', '/api/v1/work/scale', {
    body: { ...decision, reason: 'mood' },
    key: acme,
  })
  expectProblem(refused, 400, 'invalid_input')
})
