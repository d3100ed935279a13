import type { Store } from 'holdfast/store'
import { expect, it } from 'vitest'
import { parseSearch } from '../../../src/search/search.js'
import { onEachDriver, pinnedStore } from '../../support/world.js'

const found = async (store: Store, query: string) => {
  const { rows, examined } = await store.search.page(parseSearch(query).filter)
  return { ids: rows.map(({ id }) => id), ...examined }
}
const rows = async (store: Store) =>
  (await store.database.query<{ n: number }>('select count(*)::int as n from holdfast.search_value'))[0]?.n

onEachDriver('fields that a kind makes searchable', (driver) => {
  it('are found without looking at other jobs, however the job was enqueued', async () => {
    const store = await pinnedStore(driver)
    await store.kinds.declare([
      { kind: 'charge', queue: 'pay', search: ['user.id', 'note'] },
      { kind: 'noise', queue: 'pay' },
    ])
    await store.clock.advance(120_000)
    await store.enqueueMany(
      Array.from({ length: 50 }, (_, n) => ({ queue: 'pay', kind: 'noise', input: { n } })),
    )
    expect(await rows(store)).toBe(0)
    const input = { user: { id: 42 }, note: ['no', 'scalar'] }
    const plain = await store.enqueue({ queue: 'pay', kind: 'charge', input })
    const keyed = await store.enqueue({ queue: 'pay', kind: 'charge', input, key: 'k' })
    // The same key again enqueues nothing, and indexes nothing.
    await store.enqueue({ queue: 'pay', kind: 'charge', input, key: 'k' })
    await store.database.query(`select holdfast.enqueue('pay', 'charge', '{"user": {"id": "42"}}')`)
    await store.enqueue({ queue: 'pay', kind: 'charge', input: { user: { id: 43 } } })
    expect(await rows(store)).toBe(4)
    await store.enqueueMany(
      Array.from({ length: 50 }, (_, n) => ({ queue: 'pay', kind: 'noise', input: { n } })),
    )
    const { rows: jobs, examined } = await store.search.page(
      parseSearch('kind:charge input.user.id:42').filter,
      { limit: 3 },
    )
    const ids = jobs.map(({ id }) => id)
    expect(ids).toEqual(expect.arrayContaining([plain.jobId, keyed.jobId]))
    expect(examined.jobs).toBe(3)
    expect(await found(store, 'kind:charge input.user.id:42')).toMatchObject({ ids, complete: true })
  })

  it('are found for a kind with many wildcards, too', async () => {
    const store = await pinnedStore(driver)
    const kind = 'a'.repeat(60)
    await store.kinds.declare([{ kind, queue: 'pay', search: ['n'] }])
    const { jobId } = await store.enqueue({ queue: 'pay', kind, input: { n: 1 } })
    // A matcher that tries the combinations of forty wildcards never ends.
    expect((await found(store, `input.n:1 kind:${'*a'.repeat(40)}*b`)).ids).toEqual([])
    expect((await found(store, `input.n:1 kind:${'*a'.repeat(40)}*`)).ids).toEqual([jobId])
  })

  it('of jobs from before the declaration, and of other kinds, are found by looking further', async () => {
    const store = await pinnedStore(driver)
    const input = { user: { id: 42 } }
    const old = await store.enqueue({ queue: 'pay', kind: 'charge', input })
    await store.clock.advance(600_000)
    await store.kinds.declare([{ kind: 'charge', queue: 'pay', search: ['user.id'] }])
    await store.clock.advance(600_000)
    const indexed = await store.enqueue({ queue: 'pay', kind: 'charge', input })
    const other = await store.enqueue({ queue: 'mail', kind: 'welcome', input })
    expect((await found(store, 'input.user.id:42')).ids).toEqual([indexed.jobId, other.jobId, old.jobId])
    expect((await found(store, 'input.user.id:42 kind:ch*')).ids).toEqual([indexed.jobId, old.jobId])
    expect((await found(store, 'input.user.id:42 -kind:charge')).ids).toEqual([other.jobId])
    // Page by page, each once.
    const ids: number[] = []
    let after: string | null = null
    do {
      const page: Awaited<ReturnType<Store['search']['page']>> = await store.search.page(
        parseSearch('input.user.id:42').filter,
        { limit: 1, ...(after === null ? {} : { after }) },
      )
      ids.push(...page.rows.map(({ id }) => id))
      after = page.next
    } while (after !== null)
    expect(ids).toEqual([indexed.jobId, other.jobId, old.jobId])
    // The same declaration again does not begin anew.
    expect(await store.kinds.declare([{ kind: 'charge', queue: 'pay', search: ['user.id'] }])).toBe(0)
    expect((await store.kinds.list())[0]?.search).toEqual(['user.id'])
  })
})

onEachDriver('a version', (driver) => {
  it('is the one that the worker ran at the time of the attempt', async () => {
    const store = await pinnedStore(driver)
    const ids: number[] = []
    for (const version of ['1.4.1', '1.4.2']) {
      const { jobId } = await store.enqueue({ queue: 'pay', kind: 'charge' })
      await store.database.query(
        `select holdfast.worker_heartbeat('web-1', 'host', 1, '0', '{charge}', '{pay}', 'default', 1, 0, 0, false, p_app_version => $1)`,
        [version],
      )
      await store.clock.advance(60_000)
      const [job] = await store.work.claim({ worker: 'web-1', queues: ['pay'] })
      await store.work.finish([{ ...job, outcome: 'succeeded' } as never])
      await store.clock.advance(60_000)
      ids.push(jobId)
    }
    expect((await found(store, 'version:1.4.1')).ids).toEqual([ids[0]])
    expect((await found(store, 'version:1.4.2 state:succeeded')).ids).toEqual([ids[1]])
    expect((await found(store, 'version:1.4.*')).ids).toEqual([ids[1], ids[0]])
    expect((await found(store, '-version:1.4.2')).ids).toEqual([ids[0]])
    expect((await found(store, 'version:2')).ids).toEqual([])
    const { version } = await store.search.facets({ terms: [] })
    expect(version.values.map(({ label, count }) => [label, count])).toEqual([
      ['1.4.1', 1],
      ['1.4.2', 1],
    ])
  })
})
