import { randomBytes } from 'node:crypto'
import { migrateUp, openPostgres, type Store, storeOn } from 'holdfast/store'
import { expect, it, onTestFinished } from 'vitest'
import { isRolledBack } from '../../../src/database/database-errors.js'
import { openSession, openSessions, race } from '../../support/sessions.js'
import {
  type Driver,
  expectHealthy,
  freshStore,
  onEachDriver,
  postgresUrl,
  withTestSql,
} from '../../support/world.js'
import { narrow, setWidth } from './narrow.js'

/** A store whose ranges are small enough to walk through several in one test. */
async function narrowStore(driver: Driver = 'postgres', width = 10): Promise<Store> {
  const store = await freshStore(driver)
  await narrow(store, width)
  return store
}

const jobs = (count: number, more: object = {}) =>
  Array.from({ length: count }, () => ({ queue: 'mail', kind: 'send', ...more }))

/** The ranges there are, as the catalog knows them: both tables must have the same, and the list in `partition` too. */
async function rangesOf(store: Store): Promise<[number, number][]> {
  const rows = await store.database.query<{ parent: string; lo: number; hi: number }>(
    `select p.relname as parent, b.b[1]::bigint as lo, b.b[2]::bigint as hi
     from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
     cross join lateral regexp_match(pg_get_expr(c.relpartbound, c.oid), $$FROM .'([0-9]+)'. TO .'([0-9]+)'.$$) b (b)
     where p.relkind = 'p' and p.relnamespace = $1::regnamespace
     union all select 'listed', lo, hi from holdfast.partition order by lo`,
    [store.schema],
  )
  const of = (parent: string) =>
    rows.filter((row) => row.parent === parent).map(({ lo, hi }): [number, number] => [lo, hi])
  expect(of('attempt')).toEqual(of('job'))
  expect(of('listed')).toEqual(of('job'))
  return of('job')
}

async function aheadOf(store: Store): Promise<number> {
  const [row] = await store.database.query<{ last: number }>(
    'select case when is_called then last_value else 0 end as last from holdfast.job_id_seq',
  )
  return (await rangesOf(store)).filter(([lo]) => lo > (row?.last ?? 0)).length
}

async function idsOf(store: Store): Promise<number[]> {
  const rows = await store.database.query<{ id: number }>('select id from holdfast.job order by id')
  return rows.map(({ id }) => id)
}

onEachDriver('ranges of job ids', (driver) => {
  it('are there once the schema is, so that no caller has to make the first ones', async () => {
    const store = await freshStore(driver)
    const made = await rangesOf(store)
    expect(made[0]).toEqual([1, 1_000_001])
    await store.enqueue({ queue: 'mail', kind: 'any' })
    expect(await aheadOf(store)).toBe(3)
    expect(await rangesOf(store)).toEqual(made)
  })

  it('are made ahead by upkeep, once, and follow each other without a gap', async () => {
    const store = await narrowStore(driver)
    expect(await store.upkeep.makePartitions(3)).toBe(3)
    expect(await store.upkeep.makePartitions(3)).toBe(0)
    expect(await rangesOf(store)).toEqual([
      [1, 11],
      [11, 21],
      [21, 31],
    ])
  })

  it('are at least three ahead after any enqueue, however many it takes', async () => {
    const store = await narrowStore(driver)
    for (const count of [1, 9, 1, 10, 25, 3, 7]) {
      await store.enqueueMany(jobs(count))
      expect(await aheadOf(store)).toBeGreaterThanOrEqual(3)
    }
    await store.enqueueMany(jobs(4, { key: 'k', delayMs: 1000 }).slice(0, 1))
    expect(await aheadOf(store)).toBeGreaterThanOrEqual(3)
    await expectHealthy(store)
  })

  it('are crossed by one call, one or several at a time, by plain jobs and by others', async () => {
    const store = await narrowStore(driver)
    await store.enqueueMany(jobs(8))
    await store.enqueueMany(jobs(5))
    await store.enqueueMany(jobs(60))
    await store.enqueueMany(jobs(60, { delayMs: 1_000 }))
    expect(await idsOf(store)).toEqual(Array.from({ length: 133 }, (_, index) => index + 1))
    await expectHealthy(store)
  })

  it('are made by an enqueue that finds none, also for the last id that fits and the first that does not', async () => {
    const store = await narrowStore(driver)
    // As far as a call of 30 or 31 jobs would have come, with no range made for any of them.
    for (const last of [30, 61, 91, 122]) {
      await store.database.query("select setval('holdfast.job_id_seq', $1)", [last])
      const [made] = await store.enqueueMany(jobs(1))
      expect(made?.jobId).toBe(last + 1)
      expect(await aheadOf(store)).toBeGreaterThanOrEqual(3)
    }
    await expectHealthy(store)
  })

  it('take a new width from the setting, wider or narrower, from where the last one ends', async () => {
    const store = await narrowStore(driver)
    await store.enqueueMany(jobs(1))
    await setWidth(store, 100)
    await store.enqueueMany(jobs(30))
    await setWidth(store, 5)
    await store.enqueueMany(jobs(200))
    const ranges = await rangesOf(store)
    expect(new Set(ranges.map(([lo, hi]) => hi - lo))).toEqual(new Set([10, 100, 5]))
    ranges.forEach(([lo], index) => {
      expect(lo).toBe(index === 0 ? 1 : ranges[index - 1]?.[1])
    })
    expect(await aheadOf(store)).toBeGreaterThanOrEqual(3)
    await expectHealthy(store)
  })

  it('can be as narrow as one job, and a width that makes no sense does not hang anybody', async () => {
    const store = await narrowStore(driver, 0)
    await store.enqueueMany(jobs(3))
    expect(await idsOf(store)).toEqual([1, 2, 3])
  })
})

it('makes ranges in a schema of any name, and two schemas do not wait for each other', async () => {
  const database = openPostgres({ url: postgresUrl(), connections: 2 })
  const schema = `other_${randomBytes(4).toString('hex')}`
  onTestFinished(async () => {
    await database.script(`set client_min_messages = error; drop schema ${schema} cascade`)
    await database.close()
  })
  await migrateUp(database, schema)
  const [one, other] = [await narrowStore(), withTestSql(storeOn(database, schema))]
  await narrow(other, 10)
  const session = await openSession(one)
  await session.begin()
  await session.upkeep.makePartitions()
  await other.enqueueMany(jobs(25))
  await session.commit()
  expect(await idsOf(other)).toHaveLength(25)
  expect(await idsOf(one)).toEqual([])
  await expectHealthy(other)
})

it('lets one of two sessions make the ranges while the other waits for them and makes none', async () => {
  const store = await narrowStore()
  const { first, second, waited } = await race(
    store,
    (session) => session.upkeep.makePartitions(3),
    (session) => session.upkeep.makePartitions(3),
  )
  expect({ first, second, waited }).toEqual({ first: 3, second: 0, waited: true })
  expect(await aheadOf(store)).toBe(3)
})

it('makes the ranges itself after whoever was making them rolled back', async () => {
  const store = await narrowStore()
  const { second, waited } = await race(
    store,
    (session) => session.upkeep.makePartitions(3),
    (session) => session.enqueueMany(jobs(12)),
    { end: 'rollback' },
  )
  expect(waited).toBe(true)
  expect(second).toHaveLength(12)
  expect(await aheadOf(store)).toBeGreaterThanOrEqual(3)
  await expectHealthy(store)
})

it('does not wait for whoever makes ranges ahead while there is still room', async () => {
  const store = await narrowStore()
  await store.enqueueMany(jobs(5))
  const { second, waited } = await race(
    store,
    (session) => session.upkeep.makePartitions(10),
    (session) => session.enqueueMany(jobs(10)),
  )
  expect(waited).toBe(false)
  expect(second).toHaveLength(10)
})

/** As a store on a pool does it: what found no range, because another session has just committed it, is sent again. */
async function sent(session: Store, many: ReturnType<typeof jobs>): Promise<void> {
  for (;;) {
    const refused = await session.enqueueMany(many).then(
      () => undefined,
      (error: Error) => error,
    )
    if (refused === undefined) return
    if (!isRolledBack(refused.cause)) throw refused
  }
}

it('never runs out of room when many sessions enqueue across borders at once', async () => {
  const store = await narrowStore('postgres', 7)
  const sessions = await openSessions(store, 8)
  await Promise.all(
    sessions.map(async (session, which) => {
      for (let call = 0; call < 8; call += 1) {
        await sent(session, jobs(1 + ((call * 5 + which) % 13), which % 2 ? {} : { delayMs: 1000 }))
      }
    }),
  )
  const made = sessions.flatMap((_, which) =>
    Array.from({ length: 8 }, (__, call) => 1 + ((call * 5 + which) % 13)),
  )
  // A call that waited for a range was sent again, under other numbers.
  expect(await idsOf(store)).toHaveLength(made.reduce((sum, jobs) => sum + jobs, 0))
  // Each may have left it to another; the next one, alone, finds what is missing.
  await store.enqueueMany(jobs(1))
  expect(await aheadOf(store)).toBeGreaterThanOrEqual(3)
  await expectHealthy(store)
})

it('a row without a range is sent again, because another session may just have committed it; other refused rows are not', async () => {
  const store = await narrowStore()
  await store.enqueueMany(jobs(1))
  const { client } = await openSession(store)
  const refused = (id: number, priority: number): Promise<unknown> =>
    client
      .query(
        `insert into ${store.schema}.job (id, created_at, queue_id, initial_priority, kind, input)
         values ($1, now(), 1, $2, 'k', 'null')`,
        [id, priority],
      )
      .then(
        () => 'accepted',
        (error: unknown) => error,
      )
  const noRange = await refused(1_000_000, 0)
  expect(noRange).toMatchObject({ code: '23514', routine: 'ExecFindPartition' })
  expect(isRolledBack(noRange)).toBe(true)
  const [range] = await rangesOf(store)
  const outOfRange = await refused(range?.[0] ?? 0, 101)
  expect(outOfRange).toMatchObject({ code: '23514', routine: 'ExecConstraints' })
  expect(isRolledBack(outOfRange)).toBe(false)
})

it('makes room inside the open transaction of a caller, for the caller alone until the commit', async () => {
  const store = await narrowStore()
  const caller = await openSession(store)
  await caller.begin()
  await store.enqueueMany(jobs(1))
  for (let call = 0; call < 5; call += 1) {
    await store.enqueueMany(jobs(15), { tx: caller.client })
  }
  expect(await idsOf(store)).toEqual([1])
  await caller.commit()
  expect(await idsOf(store)).toHaveLength(76)
  await expectHealthy(store)
})

it('lets a caller go on in ranges that others made while its transaction was open', async () => {
  const store = await narrowStore('postgres', 2)
  await store.enqueueMany(jobs(1))
  const caller = await openSession(store)
  // Several rounds, because a cold session asks the catalog so often that it hears of the new ranges by accident.
  for (let round = 0; round < 20; round += 1) {
    await caller.begin()
    await store.enqueueMany(jobs(2), { tx: caller.client })
    await store.enqueueMany(jobs(8))
    await store.enqueueMany(jobs(1), { tx: caller.client })
    await store.enqueueMany(jobs(1, { delayMs: 1000 }), { tx: caller.client })
    await caller.commit()
  }
  expect(await idsOf(store)).toHaveLength(241)
  await expectHealthy(store)
})
