import type { ClaimedJob } from 'holdfast/store'
import { expect, it } from 'vitest'
import { expectProblem, freshServer, type ServerWorld } from './world.js'

const search = (path: string, q: string, more = '') =>
  `/api/v1/jobs/search${path}?q=${encodeURIComponent(q)}${more}`

/** Two failed jobs of a kind, one queued of another. */
async function fill({ store }: Pick<ServerWorld, 'store'>): Promise<number[]> {
  const made = await store.enqueueMany([
    { queue: 'pay', kind: 'charge', input: { user: { id: 42 }, note: '=cmd()' }, maxRetries: 0 },
    { queue: 'pay', kind: 'charge', input: { user: { id: 43 } }, maxRetries: 0 },
    { queue: 'mail', kind: 'welcome', input: { user: { id: 42 } } },
  ])
  const jobs = await store.work.claim({ worker: 'w-1', queues: ['pay'], limit: 2 })
  await store.work.finish(
    jobs.map((job: ClaimedJob) => ({ ...job, outcome: 'failed' as const, error: 'no card' })),
  )
  return made.map(({ jobId }) => jobId)
}

it('a search answers jobs, how far it looked, and what keywords mean', async () => {
  const world = await freshServer()
  const [first, second] = await fill(world)
  const { status, body } = await world.call('GET', search('', 'state:failed charge'))
  expect(status).toBe(200)
  expect(body.jobs.map(({ id }: { id: number }) => id).sort()).toEqual([first, second])
  expect(body.jobs[0]).toMatchObject({ worker: 'w-1', last_error: 'no card', input: { user: {} } })
  expect(body.examined).toMatchObject({ complete: true })
  const keyword = await world.call('GET', search('', 'mail'))
  expect(keyword.body.keywords).toEqual([{ keyword: 'mail', fields: ['queue'] }])
  expect(keyword.body.jobs).toHaveLength(1)
})

it('a page continues with its token', async () => {
  const world = await freshServer()
  const [first, , third] = await fill(world)
  const page = await world.call('GET', search('', 'input.user.id:42', '&limit=1'))
  expect(page.body.jobs.map(({ id }: { id: number }) => id)).toEqual([third])
  const next = await world.call(
    'GET',
    search('', 'input.user.id:42', `&page_token=${page.body.next_page_token}`),
  )
  expect(next.body.jobs.map(({ id }: { id: number }) => id)).toEqual([first])
  expect(next.body.examined).toMatchObject({ jobs: 3, complete: true })
  expectProblem(await world.call('GET', search('', '', '&page_token=x')), 400, 'invalid_input')
})

it('a mistake is refused with its place and the nearest name', async () => {
  const { call } = await freshServer()
  for (const path of ['', '/facets', '/export']) {
    const refused = await call('GET', search(path, 'queue:a stat:failed'))
    expectProblem(refused, 400, 'invalid_search')
    expect(refused.body.data).toEqual({ position: 8, length: 4, nearest: 'state' })
    expect(refused.body.detail).toContain('There is no field "stat". Did you mean "state"?')
  }
})

it('facets count what a search finds, and the alternatives of its own fields', async () => {
  const world = await freshServer()
  await fill(world)
  const { body } = await world.call('GET', search('/facets', 'state:failed'))
  const counts = (name: string) =>
    body[name].values.map(({ label, count }: { label: string; count: number }) => `${label} ${count}`)
  expect(counts('state')).toEqual(['failed 2', 'queued 1'])
  expect(counts('queue')).toEqual(['pay 2'])
  expect(counts('kind')).toEqual(['charge 2'])
  expect(counts('error')).toEqual(['no card 2'])
  expect(body.kind).toMatchObject({ counted: 2, complete: true })
  const group = body.error.values[0].value
  expect((await world.call('GET', search('', `error:${group}`))).body.jobs).toHaveLength(2)
})

it('suggestions are values that exist', async () => {
  const world = await freshServer()
  await fill(world)
  const suggested = async (field: string, prefix: string) =>
    (
      await world.call(
        'GET',
        `/api/v1/jobs/search/suggest?field=${field}&prefix=${encodeURIComponent(prefix)}`,
      )
    ).body.values
  expect(await suggested('queue', 'p')).toEqual(['pay'])
  expect(await suggested('queue', '%')).toEqual([])
  expect(await suggested('kind', '')).toEqual(['welcome'])
})

it('an export has every match, and no cell that a spreadsheet would run', async () => {
  const world = await freshServer()
  const ids = await fill(world)
  const lines = (await world.call('GET', search('/export', '', '&format=ndjson'))).text.trim().split('\n')
  expect(lines.map((line) => JSON.parse(line).id)).toEqual([...ids].reverse())
  expect(JSON.parse(lines[2] ?? '')).toMatchObject({
    input: { user: { id: 42 }, note: '=cmd()' },
    state: 'failed',
  })
  const csv = await world.call('GET', search('/export', 'kind:charge'))
  expect(csv.text.split('\r\n')[0]).toMatch(/^id,queue,kind,state/)
  expect(csv.text.split('\r\n')).toHaveLength(4)
})

it('what is redacted is neither found nor shown nor exported', async () => {
  const world = await freshServer({ redact: ['/card/number', '/pins/0'] })
  const input = { card: { number: '4111', name: 'Ada' }, pins: [1234] }
  await world.store.enqueue({ queue: 'pay', kind: 'charge', input })
  for (const path of ['', '/facets', '/export'])
    for (const q of [
      'input.card.number:4111',
      'input.card:*',
      'input.card.number.x:1',
      'input.pins.-1:1234',
      'input.pins.00>5',
      'input:"4111"',
    ]) {
      const refused = await world.call('GET', search(path, q))
      expectProblem(refused, 400, 'invalid_search')
      expect(refused.body.data).toMatchObject({ position: 0 })
    }
  for (const path of ['', '/export']) {
    const { status, text } = await world.call('GET', search(path, 'input.card.name:Ada'))
    expect(status).toBe(200)
    expect(text).toContain('Ada')
    expect(text).not.toMatch(/4111|1234/)
  }
})

it('searches stay in their tenant', async () => {
  const world = await freshServer()
  await fill(world)
  const key = await world.key(['read'], 'acme')
  for (const q of ['', 'pay', 'state:failed', 'input.user.id:42']) {
    const { body } = await world.call('GET', search('', q), { key })
    expect(body.jobs).toEqual([])
    expect((await world.call('GET', search('/export', q, '&format=ndjson'), { key })).text).toBe('')
    expect((await world.call('GET', search('/facets', q), { key })).body.queue.values).toEqual([])
  }
  expect((await world.call('GET', '/api/v1/jobs/search/suggest?field=queue', { key })).body.values).toEqual(
    [],
  )
})
