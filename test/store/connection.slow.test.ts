/** What callers see when the wire breaks: an accepted call is accepted once, and nobody waits longer than they said. */
import { openPostgres, type Store, storeOn } from 'holdfast/store'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openProxy, type Wire } from '../support/proxy.js'
import { openSession, untilBlockedBy } from '../support/sessions.js'
import { expectHealthy, freshStore } from '../support/world.js'

interface Scene {
  /** Straight to the server. */
  readonly store: Store
  /** The same schema, through the proxy. */
  readonly remote: Store
  readonly proxy: Wire
}

async function remoteStore(connections = 2): Promise<Scene> {
  const store = await freshStore()
  await store.queues.create('q')
  const proxy = await openProxy()
  const database = openPostgres({ url: proxy.url, connections, applicationName: store.schema })
  onTestFinished(() => database.close())
  return { store, proxy, remote: storeOn(database, store.schema) }
}

async function jobIds(store: Store): Promise<number[]> {
  const rows = await store.database.query<{ id: number }>('select id from holdfast.job order by id')
  return rows.map(({ id }) => id)
}

const codeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    (answer) => answer,
    (error: { code?: string }) => error.code,
  )

describe('a reply that is lost after the commit', () => {
  it('of an enqueue: the call is sent again, answers the same job, and one exists', async () => {
    const { store, remote, proxy } = await remoteStore()
    proxy.loseReplyTo('enqueue_many')
    const { jobId } = await remote.enqueue({ queue: 'q', kind: 'k' })
    expect(proxy.lost).toBe(1)
    expect(await jobIds(store)).toEqual([jobId])
    await expectHealthy(store)
  })

  it('of an enqueue of many: each is there once, in the order answered', async () => {
    const { store, remote, proxy } = await remoteStore()
    proxy.loseReplyTo('enqueue_many')
    const made = await remote.enqueueMany(Array.from({ length: 20 }, () => ({ queue: 'q', kind: 'k' })))
    expect(proxy.lost).toBe(1)
    expect(await jobIds(store)).toEqual(made.map(({ jobId }) => jobId))
    await expectHealthy(store)
  })

  it.each(['succeeded', 'failed'] as const)(
    'of a finish (%s): the same answer, one attempt',
    async (outcome) => {
      const { store, remote, proxy } = await remoteStore()
      const { jobId } = await store.enqueue({ queue: 'q', kind: 'k' })
      const [job] = await remote.work.claim({ worker: 'w', queues: ['q'] })
      if (job === undefined) throw new Error('nothing was claimed')
      proxy.loseReplyTo('finish')
      const [ended] = await remote.work.finish([{ ...job, outcome }])
      expect(proxy.lost).toBe(1)
      const { state, visibleAt } = await store.read.job(jobId)
      expect(ended).toMatchObject({ accepted: true, state, dueAt: outcome === 'failed' ? visibleAt : null })
      expect(await store.read.attempts(jobId)).toHaveLength(1)
      await expectHealthy(store)
    },
  )

  it('of a report: counted once', async () => {
    const { store, remote, proxy } = await remoteStore()
    const { jobId } = await store.enqueue({ queue: 'q', kind: 'k' })
    const [job] = await remote.work.claim({ worker: 'w', queues: ['q'] })
    if (job === undefined) throw new Error('nothing was claimed')
    proxy.loseReplyTo('report')
    expect(await remote.work.report({ ...job, items: [{ a: 1 }], tokens: 3 })).toMatchObject({
      progressCount: 1,
      resultCount: 1,
      tokensUsed: 3,
    })
    expect(proxy.lost).toBe(1)
    expect(await store.read.items({ jobId })).toHaveLength(1)
    await expectHealthy(store)
  })

  it('of an operator’s act: not sent again, the caller is told that nobody knows', async () => {
    const { store, remote, proxy } = await remoteStore()
    const { jobId } = await store.enqueue({ queue: 'q', kind: 'k' })
    proxy.loseReplyTo('boost')
    expect(await codeOf(remote.commands.boost(jobId, 5))).toBe('unavailable')
    expect(await store.read.job(jobId)).toMatchObject({ priority: 5 })
    expect(await remote.commands.boost(jobId, 5)).toBe(10)
  })
})

describe('a connection that swallows everything', () => {
  it('ends in deadline_exceeded within the time given, and the next call works', async () => {
    const { remote, proxy } = await remoteStore(1)
    await remote.read.violations()
    const before = proxy.dialed
    proxy.blackHole()
    const began = performance.now()
    const call = remote.database.query('select 1', [], { deadlineMs: 300, repeatable: true })
    expect(await codeOf(call)).toBe('deadline_exceeded')
    expect(performance.now() - began).toBeLessThan(4_000)
    await proxy.mend()
    expect(await remote.read.violations()).toEqual([])
    // one to cancel what had no answer, and one for the next call
    expect(proxy.dialed).toBe(before + 2)
  })

  it('ends in deadline_exceeded also when it swallows the greeting of a new connection', async () => {
    const { remote, proxy } = await remoteStore(1)
    proxy.blackHole()
    const began = performance.now()
    expect(await codeOf(remote.database.query('select 1', [], { deadlineMs: 300 }))).toBe('deadline_exceeded')
    expect(performance.now() - began).toBeLessThan(4_000)
    await proxy.refuse()
  })
})

describe('a server that is away', () => {
  it('is waited for until the deadline, then the call says unavailable', async () => {
    const { remote, proxy } = await remoteStore()
    await proxy.refuse()
    const call = remote.database.query('select 1', [], { deadlineMs: 300, repeatable: true })
    expect(await codeOf(call)).toBe('unavailable')
  })

  it('that comes back in time costs nobody their call, not even one that may not be repeated', async () => {
    const { store, remote, proxy } = await remoteStore()
    await proxy.refuse()
    const { jobId } = await store.enqueue({ queue: 'q', kind: 'k' })
    const calls = [remote.enqueue({ queue: 'q', kind: 'k' }), remote.commands.boost(jobId, 5)]
    await proxy.mend()
    expect(await Promise.all(calls)).toMatchObject([{ deduplicated: false }, 5])
    await expectHealthy(store)
  })
})

describe('connections that the server ends at any moment', () => {
  it('may end as they begin: the call goes on with another, and no error goes unheard', async () => {
    const { remote, proxy } = await remoteStore(1)
    const unheard: unknown[] = []
    const hear = (error: unknown) => unheard.push(error)
    process.on('uncaughtExceptionMonitor', hear)
    onTestFinished(() => void process.off('uncaughtExceptionMonitor', hear))
    proxy.endRightAfterGreeting()
    expect(await remote.read.violations()).toEqual([])
    expect(proxy.dialed).toBe(2)
    expect(unheard).toEqual([])
  })

  it('cost none of 200 enqueues: each is answered and each job exists once', async () => {
    const { store, remote } = await remoteStore(4)
    const made: number[] = []
    const stormed = endConnectionsWhile(store, () => made.length < 200)
    while (made.length < 200) {
      const asked = Array.from({ length: 10 }, (_, n) =>
        // Half of them travel together, half in calls of their own.
        n % 2 === 0
          ? remote.enqueue({ queue: 'q', kind: 'k' })
          : remote.enqueueMany([{ queue: 'q', kind: 'k' }]).then(([one]) => one as { jobId: number }),
      )
      made.push(...(await Promise.all(asked)).map(({ jobId }) => jobId))
    }
    expect(await stormed).toBeGreaterThan(10)
    expect(new Set(made).size).toBe(200)
    expect(await jobIds(store)).toEqual([...made].sort((a, b) => a - b))
    await expectHealthy(store)
  })
})

/** Each time a job has been committed, and often before its caller knows, every connection of the remote store is ended. */
async function endConnectionsWhile(store: Store, going: () => boolean): Promise<number> {
  let ended = 0
  let before = 0
  while (going()) {
    const { length: now } = await jobIds(store)
    if (now === before) continue
    before = now
    const rows = await store.database.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1',
      [store.schema],
    )
    ended += rows.length
  }
  return ended
}

describe('a deadlock', () => {
  /** `call` locks the first of two running jobs, then the second; a rival has the second already and then wants the first. */
  async function cross(
    store: Store,
    [first, second]: number[],
    call: () => Promise<unknown>,
  ): Promise<unknown> {
    const lock = 'select from holdfast.running where job_id = $1 for update'
    const rival = await openSession(store)
    // The rival never looks for deadlocks, so that the other one is rolled back.
    await rival.database.query("set deadlock_timeout = '10min'")
    await rival.begin()
    await rival.database.query(lock, [second])
    const answer = codeOf(call())
    await untilBlockedBy(store, rival)
    await rival.database.query(lock, [first])
    await rival.commit()
    return answer
  }

  async function twoRunning() {
    const store = await freshStore()
    await store.enqueueMany(Array.from({ length: 2 }, () => ({ queue: 'q', kind: 'k' })))
    const jobs = await store.work.claim({ worker: 'w', queues: ['q'], limit: 2 })
    return { store, jobs, ids: jobs.map(({ jobId }) => jobId) }
  }

  it('in a call of the store is the store’s to repeat: the caller never hears of it', async () => {
    const { store, jobs, ids } = await twoRunning()
    const finish = () => store.work.finish(jobs.map((job) => ({ ...job, outcome: 'succeeded' })))
    expect(await cross(store, ids, finish)).toMatchObject([{ accepted: true }, { accepted: true }])
    await expectHealthy(store)
  })

  it('in a caller’s own transaction is the caller’s: its work is not run twice', async () => {
    const { store, ids } = await twoRunning()
    let runs = 0
    const work = () =>
      store.database.transaction(async (session) => {
        runs += 1
        for (const id of ids)
          await session.query('select from holdfast.running where job_id = $1 for update', [id])
      })
    expect(await cross(store, ids, work)).toBe('40P01')
    expect(runs).toBe(1)
  })
})
