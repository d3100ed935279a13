// Lists narrowed by everything the contract names, and counts that stop.
import type { ClaimedJob } from 'holdfast/store'
import { expect, it } from 'vitest'
import { expectProblem, pinnedServer } from './world.js'

it('jobs can be narrowed by state, queue, kind, key, target, worker, times, attempts and error', async () => {
  const { call, store } = await pinnedServer()
  const make = async (more = {}) => (await store.enqueue({ queue: 'q', kind: 'k', ...more })).jobId
  const early = await make({ kind: 'other', key: 'k1', target: 't1' })
  await store.clock.advance(60_000)
  const late = await make({ key: 'k2' })
  const end = async (worker: string, outcome: 'failed' | 'succeeded') => {
    const [job] = await store.work.claim({ worker, queues: ['q'] })
    await store.work.finish([
      {
        ...(job as ClaimedJob),
        outcome,
        ...(outcome === 'failed' && { error: new Error('broken'), retryable: false }),
      },
    ])
  }
  await end('w1', 'failed')
  await store.clock.advance(60_000)
  await end('w2', 'succeeded')
  const waiting = await make()

  const ids = async (query: string) => {
    const { status, body } = await call('GET', `/api/v1/jobs?${query}`)
    expect(status, JSON.stringify(body)).toBe(200)
    return body.jobs.map(({ id }: { id: number }) => id)
  }
  expect(await ids('state=failed')).toEqual([early])
  expect(await ids('queue=q&kind=other')).toEqual([early])
  expect(await ids('key=k2')).toEqual([late])
  expect(await ids('target=t1')).toEqual([early])
  expect(await ids('worker=w1')).toEqual([early])
  expect(await ids('worker=nobody')).toEqual([])
  expect(await ids('attempts_min=1')).toEqual([late, early])
  expect(await ids('attempts_max=0')).toEqual([waiting])
  expect(await ids('created_after=2030-01-01T00:00:30Z')).toEqual([waiting, late])
  expect(await ids('created_before=2030-01-01T00:00:30Z')).toEqual([early])
  expect(await ids('finished_after=2030-01-01T00:01:30Z')).toEqual([late])
  expect(await ids('state=failed&finished_before=2030-01-01T00:01:30Z')).toEqual([early])
  expect(await ids('state=failed&finished_after=2030-01-01T00:01:30Z')).toEqual([])
  const [{ error_fingerprint: fingerprint }] = (await call('GET', `/api/v1/jobs/${early}/attempts`)).body
    .attempts
  expect(await ids(`error_fingerprint=${fingerprint}`)).toEqual([early])
  expect(await ids('worker=w2&created_after=2030-01-01T00:00:30%2B00:00&state=succeeded')).toEqual([late])
  for (const query of [
    'state=done',
    'attempts_min=-1',
    'created_after=yesterday',
    'page_size=501',
    'page_size=0',
    'key=%00',
  ])
    expectProblem(await call('GET', `/api/v1/jobs?${query}`), 400, 'invalid_input')
})

it('a search that no index helps looks at a bounded number of jobs at a time and goes on from there', async () => {
  const { call, store } = await pinnedServer()
  const end = async (worker: string, limit: number) => {
    const { lease } = await store.work.openLease(worker, 60_000)
    const jobs = await store.work.claim({ worker, lease, queues: ['q'], limit })
    await store.work.finish(jobs.map((job) => ({ ...job, outcome: 'succeeded' as const })))
  }
  const { jobId } = await store.enqueue({ queue: 'q', kind: 'k' })
  await end('needle', 1)
  await store.clock.advance(3_600_000)
  // More than one call looks at.
  for (let n = 0; n < 6; n++)
    await store.enqueueMany(Array.from({ length: 1_000 }, () => ({ queue: 'q', kind: 'k' })))
  const pagesOf = async (query: string) => {
    const pages: number[][] = []
    let token: string | null = ''
    while (token !== null) {
      const { body } = await call('GET', `/api/v1/jobs?${query}${token && `&page_token=${token}`}`)
      pages.push(body.jobs.map(({ id }: { id: number }) => id))
      token = body.next_page_token
    }
    return pages
  }
  expect(await pagesOf('worker=needle')).toEqual([[], [jobId]])
  // Where times say where to begin and to end, one call is enough.
  expect(await pagesOf('worker=needle&created_before=2030-01-01T00:30:00Z')).toEqual([[jobId]])
  expect(await pagesOf('worker=needle&created_after=2030-01-01T00:30:00Z&queue=q')).toHaveLength(2)
  expect((await pagesOf('attempts_max=0&page_size=500')).flat()).toHaveLength(6_000)
})

it('counts are there for each state and stop at their bound', async () => {
  const { call, store } = await pinnedServer()
  await store.enqueueMany(Array.from({ length: 1_001 }, () => ({ queue: 'q', kind: 'k' })))
  await store.enqueueMany(Array.from({ length: 3 }, () => ({ queue: 'other', kind: 'k', pending: true })))
  const { body } = await call('GET', '/api/v1/jobs/counts')
  expect(body).toMatchObject({ counts: { queued: 1_000, pending: 3, failed: 0 }, counted_max: 1_000 })
  expect((await call('GET', '/api/v1/jobs/counts?queue=other')).body.counts).toMatchObject({
    queued: 0,
    pending: 3,
  })
  expectProblem(await call('GET', '/api/v1/jobs/counts?queue=nowhere'), 404, 'unknown_queue')
})

it('items are listed page by page and exported as one file, JSON or CSV', async () => {
  const { call, store } = await pinnedServer()
  await store.queues.create('leads', { preset: 'harvest' })
  const { jobId } = await store.enqueue({ queue: 'leads', kind: 'k' })
  const [job] = await store.work.claim({ worker: 'w', queues: ['leads'] })
  await store.work.report({
    ...(job as ClaimedJob),
    items: [{ phone: '1' }, { phone: '2' }, { phone: '=3' }],
  })
  const first = await call('GET', '/api/v1/items?queue=leads&page_size=2')
  expect(first.body.items).toMatchObject([{ job_id: jobId, key: '1', data: { phone: '1' } }, { key: '2' }])
  const rest = await call(
    'GET',
    `/api/v1/items?queue=leads&page_size=2&page_token=${first.body.next_page_token}`,
  )
  expect(rest.body).toMatchObject({ items: [{ key: '=3' }], next_page_token: null })
  const csv = await call('GET', `/api/v1/items/export?job_id=${jobId}&format=csv`)
  expect(csv.headers).toMatchObject({
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="items.csv"',
  })
  expect(csv.text.split('\r\n')[0]).toBe('phone,item_id,job_id,created_at,other_fields')
  expect(csv.text).toContain(`"'=3"`)
  const json = await call('GET', '/api/v1/items/export?queue=leads')
  expect(json.body).toHaveLength(3)
  expectProblem(await call('GET', '/api/v1/items'), 400, 'invalid_input')
  expectProblem(await call('GET', '/api/v1/items?queue=leads&job_id=1'), 400, 'invalid_input')
  expectProblem(await call('GET', '/api/v1/items/export?queue=nowhere'), 404, 'unknown_queue')
})
