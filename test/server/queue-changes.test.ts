// Queues over HTTP: created, changed, renamed and removed; and what happens to a job that comes before its queue.
import { beforeEach, expect, it } from 'vitest'
import { expectProblem, pinnedServer, type ServedWorld } from '../support/served-world.js'

let world: ServedWorld
beforeEach(async () => {
  world = await pinnedServer()
})
const send = (method: string, path: string, body?: unknown) =>
  world.call(method, path, body === undefined ? {} : { body })
const enqueue = (body: object) => send('POST', '/api/v1/jobs', { kind: 'scrape', ...body })

it('a queue is created, changed, renamed and removed', async () => {
  await send('POST', '/api/v1/queues', { name: 'leads' })
  const changed = await send('PATCH', '/api/v1/queues/leads', {
    preset: 'harvest',
    policy: { items_key: 'email' },
    reason: 'wrong preset',
  })
  expect(changed).toMatchObject({
    status: 200,
    body: { preset: 'harvest', policy: { order: 'fifo', items_key: 'email', on_lease_lost: 'count' } },
  })
  const renamed = await send('POST', '/api/v1/queues/leads/rename', { to: 'people' })
  expect(renamed).toMatchObject({ status: 200, body: { name: 'people', id: changed.body.id } })
  expectProblem(await send('GET', '/api/v1/queues/leads'), 404, 'unknown_queue')
  expect((await send('DELETE', '/api/v1/queues/people')).status).toBe(204)
  expectProblem(await send('DELETE', '/api/v1/queues/people'), 404, 'unknown_queue')
})

it('neither the preset of a queue with jobs that were attempted can be changed, nor can it be removed', async () => {
  const { id } = (await enqueue({ queue: 'leads' })).body
  const { jobs } = (await send('POST', `/api/v1/work/claim/${id}`, { worker: 'w' })).body
  const [{ job_id, attempt, lease }] = jobs
  await send('POST', '/api/v1/work/finish', { jobs: [{ job_id, attempt, lease, outcome: 'released' }] })
  const preset = () => send('PATCH', '/api/v1/queues/leads', { preset: 'harvest' })
  const refused = await preset()
  expectProblem(refused, 409, 'queue_in_use')
  expect(refused.body.detail).toContain('1 queued')
  expectProblem(await send('DELETE', '/api/v1/queues/leads'), 409, 'queue_in_use')
  await send('POST', `/api/v1/jobs/${id}/cancel`)
  expect((await preset()).status).toBe(200)
})

it('S0.02 a pull gets an error if no queue has the preset', async () => {
  await enqueue({ queue: 'leads' })
  const refused = await send('GET', '/api/pull_job')
  expectProblem(refused, 409, 'no_preset_queue')
  expect(refused.body.detail).toContain('holdfast queues create <queue> --preset <preset>')
  expectProblem(await send('GET', '/api/pull_job?wait_sec=5'), 409, 'no_preset_queue')
  // Named, it is found whatever its preset.
  expect((await send('GET', '/api/pull_job?queue=leads')).status).toBe(200)
})

it('S0.02 a queue that its first job has made with the default preset gets the preset harvest, and a pull gets the job', async () => {
  await send('POST', '/api/v1/queues', { name: 'people', preset: 'harvest' })
  const { id } = (await enqueue({ queue: 'leads' })).body
  expect((await send('GET', '/api/pull_job')).status).toBe(204)
  expect((await send('PATCH', '/api/v1/queues/leads', { preset: 'harvest' })).status).toBe(200)
  expect(await send('GET', '/api/pull_job')).toMatchObject({ status: 200, body: { job_id: id } })
})

it('S0.02 the first job creates a queue with the preset that it names, and the next pull gets the job', async () => {
  const { id } = (await enqueue({ queue: 'leads', preset: 'harvest' })).body
  expect(await send('GET', '/api/pull_job')).toMatchObject({ status: 200, body: { job_id: id } })
  const other = await enqueue({ queue: 'leads', preset: 'crawl' })
  expectProblem(other, 409, 'wrong_preset')
  expect(other.body.detail).toContain('The queue leads has the preset harvest, not crawl.')
  expectProblem(await enqueue({ queue: 'leads', preset: 'harvst' }), 400, 'invalid_input')
  expect((await enqueue({ queue: 'leads', preset: 'harvest' })).status).toBe(201)
})

it('S1.15 a scheduled crawl uses a queue of its preset, existing or new, and never another', async () => {
  const schedule = (name: string, query = '') =>
    send('POST', `/api/admin/scheduled-jobs${query}`, { name, cron_expression: '@daily', subreddit_id: 1 })
  await enqueue({ queue: 'crawl' })
  const refused = await schedule('a')
  expectProblem(refused, 409, 'wrong_preset')
  expect(refused.body.detail).toContain('holdfast queues update <queue> --preset <preset>')
  expect((await schedule('b', '?queue=subs')).status).toBe(201)
  expect((await send('GET', '/api/v1/queues/subs')).body.preset).toBe('crawl')
  expect((await schedule('c')).status).toBe(201)
  expectProblem(await schedule('d', '?queue=crawl'), 409, 'wrong_preset')
})
