// A report is checked by what the pull taught the server that answered it, and by the database where that taught it nothing.
import { buildServer } from 'holdfast/server'
import { expect, it, onTestFinished } from 'vitest'
import { secondStore } from '../support/world.js'
import { expectProblem, freshServer } from './world.js'

async function twoPulled() {
  const world = await freshServer()
  const { call, store, key } = world
  await store.queues.create('leads', { preset: 'harvest' })
  await store.enqueueMany([1, 2].map((n) => ({ queue: 'leads', kind: 'harvest', input: { n } })))
  const work = await key(['work'])
  const pull = async () => (await call('POST', '/api/pull_job', { key: work })).body
  return { ...world, work, first: await pull(), second: await pull() }
}

it('a job that one server handed out is reported to another', async () => {
  const { store, work, first } = await twoPulled()
  const other = buildServer(await secondStore(store), { checkAnswers: true })
  onTestFinished(() => other.close())
  const { job_id, lease_token } = first
  const answer = await other.inject({
    method: 'POST',
    url: '/api/report_results',
    headers: { authorization: `Bearer ${work}` },
    payload: { job_id, lease_token, items: [{ id: 1 }], done: true },
  })
  expect(answer.json()).toMatchObject({ job_id, status: 'done', added: 1 })
})

it('the token of one job opens no other, whether or not that is there', async () => {
  const { call, key, work, first, second } = await twoPulled()
  const report = (secret: string, job_id: number, lease_token: string) =>
    call('POST', '/api/report_results', { key: secret, body: { job_id, lease_token, done: true } })
  expectProblem(await report(work, first.job_id, second.lease_token), 409, 'lease_lost')
  expectProblem(await report(work, 1_000_000, second.lease_token), 404, 'unknown_job')
  expectProblem(
    await report(await key(['work'], 'bolt'), second.job_id, second.lease_token),
    404,
    'unknown_job',
  )
  expect(await report(work, second.job_id, second.lease_token)).toMatchObject({ status: 200 })
})
