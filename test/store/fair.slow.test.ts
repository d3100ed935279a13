/** Fair between queues and tenants: a flood in one does not starve the others, and long lists of queues cost next to nothing. */
import type { ClaimedJob, Store } from 'holdfast/store'
import { describe, expect, it } from 'vitest'
import { QueueRotation } from '../../src/store/claim/queue-rotation.js'
import { expectNothingWritten, leastCost } from '../support/plans.js'
import { expectHealthy, freshStore, onEachDriver } from '../support/world.js'

const LEASE_MS = 600_000
/** By a clock that stands still no full pass is ever due. */
const STILL = { now: () => 0 }
const names = (word: string, count: number) => Array.from({ length: count }, (_, n) => `${word}${n}`)

function jobs(queue: string, count: number) {
  return Array.from({ length: count }, () => ({ queue, kind: queue }))
}

async function flood(store: Store, queue: string, count: number): Promise<void> {
  for (let made = 0; made < count; made += 1_000) {
    await store.enqueueMany(jobs(queue, Math.min(1_000, count - made)))
  }
}

const kinds = (claimed: readonly ClaimedJob[]) => new Set(claimed.map(({ kind }) => kind))

describe('one queue with 100,000 jobs and twenty with one', () => {
  it('the twenty are claimed with the first claim of 100, wherever they are listed', async () => {
    const store = await freshStore()
    const single = names('single', 20)
    await flood(store, 'flood', 100_000)
    for (const queues of [
      ['flood', ...single],
      [...single, 'flood'],
    ]) {
      await store.enqueueMany(single.flatMap((name) => jobs(name, 1)))
      const claimed = await store.work.claim({ worker: 'w', queues, limit: 100, leaseMs: LEASE_MS })
      expect(claimed).toHaveLength(100)
      expect(kinds(claimed)).toEqual(new Set(queues))
      await store.work.finish(claimed.map((job) => ({ ...job, outcome: 'succeeded' })))
    }
  })
})

onEachDriver('a claim that turns its list', (driver) => {
  it('serves each of 200 queues within ceil(n / 64) + ceil(b / 5) claims, thirty floods among them or not', async () => {
    const store = await freshStore(driver)
    const floods = names('flood', 30)
    const single = names('single', 170)
    for (const name of floods) await flood(store, name, 800)
    await store.enqueueMany(single.flatMap((name) => jobs(name, 1)))
    const claimer = store.work.claimer(STILL)
    const waiting = new Set([...floods, ...single])
    const queues = [...floods, ...single]
    const most = Math.ceil(200 / 64) + Math.ceil(200 / 5)
    let claims = 0
    for (; waiting.size > 0 && claims < most; claims += 1) {
      const claimed = await claimer.claim({ worker: 'w', queues, limit: 100, leaseMs: LEASE_MS })
      expect(claimed).toHaveLength(100)
      for (const kind of kinds(claimed)) waiting.delete(kind)
    }
    expect(waiting).toEqual(new Set())
    await expectHealthy(store)
  })

  it('always finds the only job there is, after a flood too', async () => {
    const store = await freshStore(driver)
    const queues = names('q', 300)
    const claimer = store.work.claimer(STILL)
    const claim = () => claimer.claim({ worker: 'w', queues, limit: 10, leaseMs: LEASE_MS })
    for (const queue of ['q299', 'q7', 'q150', 'q150', 'q64', 'q0']) {
      await store.enqueueMany(jobs(queue, 10))
      expect(kinds(await claim())).toEqual(new Set([queue]))
    }
    await store.enqueueMany(jobs('q200', 1))
    expect(await claim()).toHaveLength(1)
    expect(await claim()).toEqual([])
  })
})

describe('two tenants in one list', () => {
  it('the one with one job is served within the same number of claims as a queue is, with forty floods of the other', async () => {
    const store = await freshStore()
    const many = names('q', 40)
    for (let n = 0; n < 7; n += 1) {
      await store.enqueueMany(
        many.flatMap((name) => jobs(name, 20)),
        { tenant: 'big' },
      )
    }
    await store.enqueue({ queue: 'q0', kind: 'small' }, { tenant: 'small' })
    const ids = [...(await store.queues.ids(many, 'big')), ...(await store.queues.ids(['q0'], 'small'))]
    const turns = new QueueRotation()
    const seen: string[] = []
    for (let n = 0; n < 1 + Math.ceil(41 / 5) && !seen.includes('small'); n += 1) {
      const listed = turns.list(ids)
      const rows = await store.database.query<{ queueId: number; kind: string }>(
        `select queue_id as "queueId", kind from holdfast.claim('w', null, $1::int[], 100, ${LEASE_MS})`,
        [listed],
      )
      turns.learn(ids, listed, rows, 100)
      seen.push(...rows.map(({ kind }) => kind))
    }
    expect(seen).toContain('small')
  })
})

describe('a thousand queues in the list', () => {
  const claim = (queues: readonly number[], limit: number) => ({
    text: `select * from holdfast.claim('w', null, $1::int[], ${limit}, ${LEASE_MS})`,
    values: [queues],
  })

  async function thousand() {
    const store = await freshStore('postgres', { connections: 1 })
    const rows = await store.database.query<{ id: number }>(
      "select holdfast.create_queue('q' || i) as id from generate_series(1, 1000) i",
    )
    // so that the first claim has no name to write down
    await store.work.openLease('w', LEASE_MS)
    return { store, ids: rows.map(({ id }) => id) }
  }

  it('of which none has work cost a claim some fifty pages', async () => {
    const { store, ids } = await thousand()
    const cost = await leastCost(store, claim(ids, 100))
    await expectNothingWritten(store, claim(ids, 100))
    expect(cost.buffers).toBeLessThanOrEqual(60)
  })

  it('of which one has work cost a claim of ten at most fifty pages more than that one alone', async () => {
    const { store, ids } = await thousand()
    await store.enqueueMany(jobs('q777', 500))
    const alone = await leastCost(store, claim(ids.slice(776, 777), 10))
    const among = await leastCost(store, claim(ids, 10))
    expect(among.buffers).toBeLessThanOrEqual(alone.buffers + 50)
  })

  it('of which all have work cost a claim in turn no more than a window of them', async () => {
    const { store, ids } = await thousand()
    await store.enqueueMany(
      names('q', 1_001)
        .slice(1)
        .flatMap((name) => jobs(name, 1)),
    )
    const turns = new QueueRotation()
    turns.learn(ids, turns.list(ids), [{ queueId: ids[0] as number }], 1)
    const listed = turns.list(ids)
    expect(listed).toHaveLength(65)
    expect((await leastCost(store, claim(listed, 10))).buffers).toBeLessThanOrEqual(1_000)
  })

  it('with a limit each cost a claim that finds nothing no lock either', async () => {
    const { store, ids } = await thousand()
    await store.tenants.setLimits('default', { maxRunning: 10 })
    const cost = await leastCost(store, claim(ids, 100))
    await expectNothingWritten(store, claim(ids, 100))
    expect(cost.buffers).toBeLessThanOrEqual(60)
  })
})
