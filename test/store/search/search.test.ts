import type { Store } from 'holdfast/store'
import { expect, it } from 'vitest'
import { parseSearch } from '../../../src/search/search.js'
import { freshStore, onEachDriver } from '../../support/world.js'

const filterOf = (query: string) => {
  const { filter, problems } = parseSearch(query)
  expect(problems).toEqual([])
  return filter
}

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'

/** One job of each sort, by name. */
async function fill(store: Store): Promise<Record<string, number>> {
  const ids: Record<string, number> = {}
  const add = async (name: string, job: object) => {
    const { jobId } = await store.enqueue({ queue: 'mail', kind: 'welcome', ...job })
    ids[name] = jobId
  }
  await add('failed', {
    queue: 'work',
    kind: 'charge-card',
    input: { user: { id: 42 }, amount: 970 },
    maxRetries: 0,
  })
  await add('retrying', { queue: 'work', kind: 'charge-card', input: { user: { id: '42' }, amount: 50 } })
  await add('succeeded', { queue: 'work', kind: 'noise', input: { note: '100% of_it', ok: true } })
  const { lease } = await store.work.openLease('web-1', 30_000)
  const claimed = await store.work.claim({ worker: 'web-1', lease, queues: ['work'], limit: 3 })
  const byId = new Map(claimed.map((job) => [job.jobId, job]))
  const finish = (name: string, ending: object) =>
    store.work.finish([{ ...byId.get(ids[name] ?? 0), ...ending }] as never)
  await finish('failed', { outcome: 'failed', error: new TypeError('connect ECONNREFUSED 10.0.4.7:443') })
  await finish('retrying', { outcome: 'failed', error: 'read timeout after 30 s' })
  await finish('succeeded', { outcome: 'succeeded' })
  await add('running', { queue: 'work', kind: 'slow', priority: 90 })
  const other = await store.work.openLease('web-2', 30_000)
  await store.work.claim({ worker: 'web-2', lease: other.lease, queues: ['work'], limit: 1 })
  await add('scheduled', { delayMs: 60_000, key: 'order-42', labels: { team: 'core' } })
  await add('pending', { pending: true, trace: `00-${TRACE}-00f067aa0ba902b7-01`, labels: { team: 'shop' } })
  await add('head', { queue: 'lanes', target: 'customer-7', key: 'customer:7' })
  await add('waiting', { queue: 'lanes', target: 'customer-7', trace: 'my own trace' })
  await add('queued', { input: { items: [{ sku: 'a,b' }], text: 'say "hi"' }, priority: 10 })
  await store.enqueue(
    { queue: 'mail', kind: 'welcome', key: 'order-42', target: 'customer-7' },
    { tenant: 'acme' },
  )
  return ids
}

const ALL = [
  'queued',
  'waiting',
  'head',
  'pending',
  'scheduled',
  'running',
  'succeeded',
  'retrying',
  'failed',
]

const CASES: readonly [query: string, found: string[]][] = [
  ['', ALL],
  ['state:failed', ['failed']],
  ['state:failed,canceled', ['failed']],
  ['state:failed,retrying', ['retrying', 'failed']],
  ['state:queued', ['queued', 'head']],
  ['state:succeeded', ['succeeded']],
  ['state:waiting,pending,scheduled,assigned,running', ['waiting', 'pending', 'scheduled', 'running']],
  ['-state:queued,waiting', ['pending', 'scheduled', 'running', 'succeeded', 'retrying', 'failed']],
  ['state:failed -state:failed', []],
  ['queue:work', ['running', 'succeeded', 'retrying', 'failed']],
  ['queue:work,lanes kind:welcome', ['waiting', 'head']],
  ['queue:nowhere', []],
  ['-queue:w*,mail', ['waiting', 'head']],
  ['kind:charge-*', ['retrying', 'failed']],
  ['kind:"charge-*"', []],
  ['-kind:welcome,noise', ['running', 'retrying', 'failed']],
  ['key:order-42', ['scheduled']],
  ['key:"order-42",customer:7', ['head', 'scheduled']],
  ['key:order-*', ['scheduled']],
  ['-key:order-42 queue:mail', ['queued', 'pending']],
  ['target:customer-7', ['waiting', 'head']],
  ['target:customer-7 state:waiting', ['waiting']],
  ['-target:c* queue:lanes', []],
  [`trace:${TRACE}`, ['pending']],
  ['trace:"my own trace"', ['waiting']],
  ['trace:my*', ['waiting']],
  ['label.team:core', ['scheduled']],
  ['label.team:*', ['pending', 'scheduled']],
  ['-label.team:core queue:mail', ['queued', 'pending']],
  ['worker:web-1', ['succeeded', 'retrying', 'failed']],
  ['worker:web-2', ['running']],
  ['worker:web-* state:failed', ['failed']],
  ['worker:nobody', []],
  ['-worker:web-1 queue:work', ['running']],
  ['error:"timeout"', ['retrying']],
  ['error:econnrefused', ['failed']],
  ['error:TypeError', ['failed']],
  ['error:"100%"', []],
  ['-error:timeout kind:charge-card', ['failed']],
  ['error:econnrefused state:failed', ['failed']],
  ['input.user.id:42', ['retrying', 'failed']],
  ['input.user.id:42 input.amount>100', ['failed']],
  ['input.amount:50..970', ['retrying', 'failed']],
  ['input.amount<970', ['retrying']],
  ['-input.amount>100 kind:charge-card', ['retrying']],
  ['input.items.0.sku:"a,b"', ['queued']],
  ['input.ok:true', ['succeeded']],
  ['input.note:"100% of_it"', ['succeeded']],
  ['input.note:100*', ['succeeded']],
  ['input:"of_it"', ['succeeded']],
  ['input:"ofxit"', []],
  ['attempts>=1', ['running', 'succeeded', 'retrying', 'failed']],
  ['attempts:0 queue:mail', ['queued', 'pending', 'scheduled']],
  ['-attempts:1 queue:work', []],
  ['priority>50', ['running']],
  ['priority>=10 priority<90', ['queued']],
  ['age<1h', ALL],
  ['age>1h', []],
  ['finished:2020-01-01..', ['succeeded', 'failed']],
  ['finished<2020-01-01', []],
  ['created>2020-01-01 state:queued', ['queued', 'head']],
  ['created<2020-01-01', []],
  ['created:2020-01-01..2099-01-01', ALL],
  ['order-42', ['scheduled']],
  ['customer:7', ['head']],
  ['customer-7', ['waiting', 'head']],
  ['customer-7 state:waiting', ['waiting']],
  [TRACE, ['pending']],
  ['"my own trace"', ['waiting']],
  ['web-1', ['succeeded', 'retrying', 'failed']],
  ['lanes', ['waiting', 'head']],
  ['charge-card', ['retrying', 'failed']],
  ['kind:charge-* charge-card', ['retrying', 'failed']],
  ['charge-card kind:*-card,noise', ['retrying', 'failed']],
  ['kind:n* charge-card', []],
  ['queue:la*,mail lanes', ['waiting', 'head']],
  ['nothing-has-this', []],
]

/** The jobs of each search by their names, all at once and in pages of two. */
function searcher(store: Store, ids: Record<string, number>) {
  const names = (found: readonly { id: number }[]) =>
    found.map(({ id }) => Object.keys(ids).find((name) => ids[name] === id))
  return async (query: string, limit: number) => {
    const found: (string | undefined)[] = []
    let after: string | null = null
    do {
      const page: Awaited<ReturnType<Store['search']['page']>> = await store.search.page(filterOf(query), {
        limit,
        ...(after === null ? {} : { after }),
      })
      found.push(...names(page.rows))
      after = page.next
    } while (after !== null)
    return found
  }
}

onEachDriver('a search', (driver) => {
  it('finds exactly the jobs that match, page by page', async () => {
    const store = await freshStore(driver)
    const search = searcher(store, await fill(store))
    for (const limit of [50, 2]) {
      const found: (readonly [string, (string | undefined)[]])[] = []
      for (const [query] of CASES) found.push([query, await search(query, limit)])
      expect(found).toEqual(CASES)
    }
  })

  it('finds a job by its id in every way it is written', async () => {
    const store = await freshStore(driver)
    const ids = await fill(store)
    const search = searcher(store, ids)
    const id = ids.pending
    for (const query of [`id:${id}`, `#${id}`, `${id}`, `id:#${id},99999999`, `id>=${id} id<=${id}`])
      expect(await search(query, 50)).toEqual(['pending'])
    expect(await search(`-id:${id} queue:mail`, 50)).toEqual(['queued', 'scheduled'])
  })

  it('finds nothing of other tenants', async () => {
    const store = await freshStore(driver)
    const ids = await fill(store)
    const tenant = 'acme'
    expect((await store.search.page(filterOf('order-42'), { tenant })).rows).toHaveLength(1)
    expect((await store.search.page(filterOf(`id:${ids.failed}`), { tenant })).rows).toEqual([])
    const { keywords, examined } = await store.search.page(filterOf('web-1'), { tenant })
    expect(keywords).toEqual([{ keyword: 'web-1', fields: [] }])
    expect(examined).toMatchObject({ jobs: 0, complete: true })
  })

  it('returns what a list shows', async () => {
    const store = await freshStore(driver)
    await fill(store)
    const { rows, examined } = await store.search.page(filterOf('state:failed'))
    expect(examined).toMatchObject({ jobs: 1, complete: true })
    expect(rows[0]).toMatchObject({
      kind: 'charge-card',
      input: { user: { id: 42 }, amount: 970 },
      worker: 'web-1',
      lastError: 'connect ECONNREFUSED 10.0.4.7:443',
      errorClass: 'TypeError',
    })
  })

  it('pages through ids for commands, without jobs that arrive later', async () => {
    const store = await freshStore(driver)
    const ids = await fill(store)
    const createdBefore = new Date(Date.now() + 3_600_000)
    const filter = filterOf('kind:charge-card')
    const first = await store.search.ids(filter, { createdBefore, limit: 1 })
    expect(first.ids).toEqual([ids.retrying])
    const second = await store.search.ids(filter, { createdBefore, limit: 1, after: first.next ?? '' })
    expect(second).toEqual({ ids: [ids.failed], next: null })
    expect(await store.search.ids(filter, { createdBefore: '2020-01-01T00:00:00Z' })).toEqual({
      ids: [],
      next: null,
    })
  })

  it('counts up to a bound', async () => {
    const store = await freshStore(driver)
    await fill(store)
    const scope = { createdBefore: new Date(Date.now() + 3_600_000) }
    expect(await store.search.count(filterOf('queue:work'), scope)).toEqual({ count: 4, exact: true })
    expect(await store.search.count(filterOf('queue:work'), { ...scope, max: 3 })).toEqual({
      count: 3,
      exact: false,
    })
    expect(await store.search.count(filterOf('queue:work'), { ...scope, max: 4 })).toEqual({
      count: 4,
      exact: true,
    })
    await expect(store.search.count(filterOf(''), { ...scope, max: 0 })).rejects.toThrow('from 1 to 100000')
  })

  it('looks further with its token when its budget is used up', async () => {
    const store = await freshStore(driver)
    const jobs = Array.from({ length: 3_000 }, (_, n) => ({ queue: 'q', kind: 'k', input: { n } }))
    for (let n = 0; n < jobs.length; n += 1_000) await store.enqueueMany(jobs.slice(n, n + 1_000))
    const filter = filterOf('input.n:5')
    const first = await store.search.page(filter, { rowsMax: 1_000 })
    expect(first.rows).toEqual([])
    expect(first.examined).toMatchObject({ jobs: 1_000, complete: false })
    const second = await store.search.page(filter, { after: first.next ?? '' })
    expect(second.rows.map(({ input }) => input)).toEqual([{ n: 5 }])
    expect(second.examined).toMatchObject({ jobs: 3_000, complete: true })
    await expect(store.search.page(filter, { after: 'x' })).rejects.toThrow('is not a cursor of this search')
  })
})
