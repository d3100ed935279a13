/** New work is heard of without asking; nothing depends on it. */
import { type Database, openPostgres, type Store, storeOn } from 'holdfast/store'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Wakeups } from '../../../src/domain/port.js'
import { Notifier } from '../../../src/store/notify/notifier.js'
import { openProxy } from '../../support/proxy.js'
import { login, sealedStore } from '../../support/roles/sealed.js'
import { openSession } from '../../support/sessions.js'
import { freshStore, onEachDriver, postgresUrl } from '../../support/world.js'

/** Where a call of enqueue_many says whether its commit wakes. */
const WAKE = 7

/** Counts wake-ups, and lets a test wait for the next one. */
function claimer(wakeups: Wakeups, queues: readonly string[]) {
  let count = 0
  let heard: () => void = () => {}
  const off = wakeups.on(queues, () => {
    count += 1
    heard()
  })
  onTestFinished(() => void off())
  return {
    get count() {
      return count
    },
    off,
    /** Resolves at the first wake-up after `act` has begun. */
    async wokenBy(act: () => Promise<unknown>): Promise<void> {
      const woken = new Promise<void>((resolve) => {
        heard = resolve
      })
      await act()
      await woken
    },
  }
}

/** Everybody is woken when listening begins, so the first wake-up says that it has. */
async function listening(store: Store, queues: readonly string[], tenant?: string) {
  const wakeups = store.wakeups(tenant)
  // Their ids are known from here on, so that only their own work wakes.
  await store.queues.ids(queues, tenant)
  const one = claimer(wakeups, queues)
  if (!wakeups.active) await one.wokenBy(async () => {})
  expect(wakeups.active).toBe(true)
  return one
}

onEachDriver('wake-ups', (driver) => {
  it('come with a job, with many, with one released, resumed, retried or freed, and with a queue that goes on', async () => {
    const store = await freshStore(driver)
    const one = await listening(store, ['q'])
    const job = { queue: 'q', kind: 'k' }
    const { jobId } = await store.enqueue({ ...job, pending: true })
    await one.wokenBy(() => store.publish(jobId))
    await one.wokenBy(() => store.enqueue(job))
    await one.wokenBy(() => store.enqueueMany([job, job]))
    await store.queues.pause('q')
    await one.wokenBy(() => store.queues.resume('q'))
    await one.wokenBy(() => store.commands.cancel(jobId))
    await one.wokenBy(() => store.commands.retry(jobId))
    const { lease } = await store.work.openLease('w', 30_000)
    await store.work.claim({ worker: 'w', queues: ['q'], lease, limit: 10 })
    await one.wokenBy(() => store.work.closeLease(lease))
  })

  it('come to whoever waits for that queue and not to others, nor after good-bye', async () => {
    const store = await freshStore(driver)
    const [mine, other] = [await listening(store, ['q']), await listening(store, ['other'])]
    const gone = await listening(store, ['q'])
    gone.off()
    const before = [other.count, gone.count]
    await mine.wokenBy(() => store.enqueue({ queue: 'q', kind: 'k' }))
    await mine.wokenBy(() => store.enqueue({ queue: 'q', kind: 'k' }))
    expect([other.count, gone.count]).toEqual(before)
    await other.wokenBy(() => store.database.query('select holdfast.wake()'))
  })

  it('tell the tenants apart', async () => {
    const store = await freshStore(driver)
    const [ours, theirs] = [await listening(store, ['q']), await listening(store, ['q'], 'bolt')]
    const before = ours.count
    await theirs.wokenBy(() => store.enqueue({ queue: 'q', kind: 'k' }, { tenant: 'bolt' }))
    expect(ours.count).toBe(before)
  })

  it('are gathered: the first goes out at once, and the flood behind it goes together', async () => {
    const { database } = await freshStore(driver)
    const said: unknown[] = []
    const notifier = new Notifier({
      ...database,
      query: (text, values) => {
        said.push(values?.[1])
        return database.query(text, values)
      },
    })
    for (let n = 0; n < 1_000; n += 1) notifier.wake('default', [`q${n % 3}`])
    expect(said).toEqual([['q0']])
    await expect.poll(() => said).toEqual([['q0'], ['q1', 'q2', 'q0']])
    notifier.wake('default', [])
    notifier.stop()
  })
})

describe('wake-ups on a server', () => {
  it('of a job in a caller’s transaction come after it commits', async () => {
    const store = await freshStore()
    const one = await listening(store, ['q'])
    const caller = await openSession(store)
    await one.wokenBy(async () => {
      await caller.begin()
      await store.enqueue({ queue: 'q', kind: 'k' }, { tx: caller.client })
      await caller.commit()
    })
    expect(await store.work.claim({ worker: 'w', queues: ['q'] })).toHaveLength(1)
  })

  it('of a lone job after a silence travel in its own commit', async () => {
    const { database, schema } = await freshStore()
    const asked: { text: string; wakes: unknown }[] = []
    const store = storeOn(
      {
        ...database,
        query: (text, values, options) => {
          asked.push({ text, wakes: values?.[WAKE] })
          return database.query(text, values, options)
        },
      },
      schema,
    )
    const one = await listening(store, ['q'])
    const alone = () => asked.filter(({ text }) => text.includes('.wake('))
    const carrying = () => asked.filter(({ text, wakes }) => text.includes('enqueue_many') && wakes === true)
    await one.wokenBy(() => store.enqueue({ queue: 'q', kind: 'k' }))
    expect(carrying()).toHaveLength(1)
    expect(alone()).toHaveLength(0)
    // Of those that come at the same moment one carries it, if it was silent before; the others are announced together, after their commit.
    await Promise.all([1, 2, 3].map(() => store.enqueueMany([{ queue: 'q', kind: 'k' }])))
    expect(carrying().length).toBeLessThanOrEqual(2)
    await expect.poll(() => alone().length).toBeGreaterThan(0)
  })

  it('cannot be caused in queues of a tenant that is not one’s own', async () => {
    const store = await sealedStore()
    const acme = await login(store, 'producer', ['acme'])
    const [ours, theirs] = [await listening(store, ['q'], 'acme'), await listening(store, ['q'], 'bolt')]
    const wake = async (tenant: string) =>
      acme.database.query('select holdfast.wake($1::int[])', [await store.queues.ids(['q'], tenant)])
    const before = theirs.count
    await wake('bolt')
    await ours.wokenBy(() => wake('acme'))
    expect(theirs.count).toBe(before)
  })

  it('of another process are heard', async () => {
    const store = await freshStore()
    const one = await listening(store, ['q'])
    const database = openPostgres({ url: postgresUrl(), connections: 1 })
    onTestFinished(() => database.close())
    await one.wokenBy(() => storeOn(database, store.schema).enqueue({ queue: 'q', kind: 'k' }))
  })

  it('are not sent by a store that was told not to', async () => {
    const store = await freshStore()
    const one = await listening(store, ['q'])
    const before = one.count
    const silent = storeOn(store.database, store.schema, { notify: false })
    await silent.enqueue({ queue: 'q', kind: 'k' })
    expect(one.count).toBe(before)
    await one.wokenBy(() => store.enqueue({ queue: 'q', kind: 'k' }))
  })

  it('come again after the connection broke, and everybody is woken for what was missed', async () => {
    const store = await freshStore()
    const one = await listening(store, ['q'])
    await one.wokenBy(() =>
      store.database.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name = 'holdfast listener'`,
      ),
    )
    expect(store.wakeups().active).toBe(true)
    await one.wokenBy(() => store.enqueue({ queue: 'q', kind: 'k' }))
  })

  it('do not claim to be active while the server cannot be reached, and go on when it can', async () => {
    const store = await freshStore()
    const wire = await openProxy()
    const database = openPostgres({ url: wire.url, connections: 2 })
    const far = storeOn(database, store.schema)
    onTestFinished(() => far.close())
    const one = await listening(far, ['q'])
    await wire.refuse()
    await expect.poll(() => far.wakeups().active).toBe(false)
    await one.wokenBy(() => wire.mend())
    expect(far.wakeups().active).toBe(true)
  })

  it('do not claim to be active where listening is not heard, as behind a transaction pooler', async () => {
    const store = await freshStore()
    const asked: string[] = []
    // What a pooler does: it takes the LISTEN and passes nothing on.
    const deaf: Database = {
      ...store.database,
      listen: async (channel) => {
        asked.push(channel)
        return { end: async () => {} }
      },
      query: async (text, values) => {
        if (text.includes('pg_notify')) asked.push('called')
        return store.database.query(text, values)
      },
    }
    const pooled = storeOn(deaf)
    claimer(pooled.wakeups(), ['q'])
    await expect.poll(() => asked).toEqual(['holdfast_wake', 'called'])
    expect(pooled.wakeups().active).toBe(false)
  })
})
