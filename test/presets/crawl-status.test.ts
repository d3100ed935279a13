// The crawl preset over HTTP: a status is a request for a command.
import type { ClaimedJob } from 'holdfast/store'
import { beforeEach, expect, it } from 'vitest'
import { expectHealthy } from '../support/world.js'
import {
  claimed,
  HOUR,
  MADE,
  type Made,
  makeJob,
  openCrawls,
  put,
  stateOf,
  store,
  WORDS,
  wordOf,
} from './crawl-jobs.js'

beforeEach(openCrawls)

const REFUSED = 409

/** For each present state what each wanted status leads to. */
const MATRIX: Record<Made, Record<(typeof WORDS)[number], string | 409>> = {
  queued: { queued: 'queued', crawling: REFUSED, success: REFUSED, failed: 'canceled' },
  pending: { queued: 'queued', crawling: REFUSED, success: REFUSED, failed: 'canceled' },
  scheduled: { queued: 'queued', crawling: REFUSED, success: REFUSED, failed: 'canceled' },
  retrying: { queued: 'queued', crawling: REFUSED, success: REFUSED, failed: 'canceled' },
  paused: { queued: 'queued', crawling: REFUSED, success: REFUSED, failed: 'canceled' },
  errored: { queued: 'queued', crawling: REFUSED, success: REFUSED, failed: 'canceled' },
  parked: { queued: 'queued', crawling: REFUSED, success: REFUSED, failed: 'canceled' },
  assigned: { queued: REFUSED, crawling: REFUSED, success: 'succeeded', failed: 'failed' },
  running: { queued: REFUSED, crawling: REFUSED, success: 'succeeded', failed: 'failed' },
  succeeded: { queued: REFUSED, crawling: REFUSED, success: 'succeeded', failed: REFUSED },
  failed: { queued: 'queued', crawling: REFUSED, success: REFUSED, failed: 'failed' },
  canceled: { queued: 'queued', crawling: REFUSED, success: REFUSED, failed: 'canceled' },
}

it.each(Object.keys(MADE) as Made[])(
  'S1.11 PUT status of a job that is %s has one result for each of the four statuses',
  async (state) => {
    for (const wanted of WORDS) {
      const id = await MADE[state]()
      expect(await stateOf(id)).toBe(state)
      const { status, body } = await put(id, wanted)
      const due = MATRIX[state][wanted]
      if (due === REFUSED) {
        expect([wanted, status, body.code]).toEqual([wanted, 409, 'wrong_state'])
        expect(body.detail).toContain(`"${wordOf(state)}"`)
        expect(await stateOf(id)).toBe(state)
      } else {
        expect([wanted, status, body.status]).toEqual([wanted, 200, wordOf(due)])
        expect(await stateOf(id)).toBe(due)
      }
    }
    await expectHealthy(store)
  },
)

it('S1.11 a forced end breaks the fence: the worker’s report is refused, and its heartbeat reports the attempt as revoked', async () => {
  const job = await claimed()
  expect((await put(job.jobId, 'success')).status).toBe(200)
  await expect(store.work.report({ ...job, cursor: 1 })).rejects.toMatchObject({ code: 'lease_lost' })
  expect(await store.work.renew([job.lease])).toMatchObject([{ alive: false }])
  const { lease } = await store.work.openLease('many-at-once', 60_000)
  await store.queues.setPolicy('crawls', { renewedBy: 'heartbeat', heartbeatMs: 5_000 })
  const id = await makeJob({ maxRetries: 3 })
  const [shared] = await store.work.claim({ worker: 'many-at-once', queues: ['crawls'], lease })
  expect((await put(id, 'failed')).body).toMatchObject({ status: 'failed', next_retry_at: null })
  expect(await store.work.renew([lease])).toMatchObject([
    { alive: true, revoked: [{ jobId: id, attempt: 1 }] },
  ])
  const [late] = await store.work.finish([{ ...(shared as ClaimedJob), outcome: 'succeeded' }])
  expect(late?.accepted).toBe(false)
  // A worker that died cannot be told: nothing is left of it when its lease is swept.
  await makeJob()
  const [dying] = await store.work.claim({ worker: 'many-at-once', queues: ['crawls'], lease })
  await put((dying as ClaimedJob).jobId, 'failed')
  const left = () => store.database.query('select from holdfast.revoked')
  // The first was answered and not acknowledged.
  expect(await left()).toHaveLength(2)
  await store.clock.advance(2 * HOUR)
  await store.upkeep.reclaim()
  expect(await left()).toEqual([])
  await expectHealthy(store)
})

it('S1.11 another status is refused with the four valid ones; a strict queue, a queue of another preset and an unknown job are refused', async () => {
  const id = await makeJob()
  for (const word of ['done', 'QUEUED', '', null, 7]) {
    const { status, body } = await put(id, word)
    expect([status, body.code]).toEqual([400, 'invalid_input'])
    expect(body.errors[0]).toMatchObject({
      pointer: '/status',
      problem: expect.stringContaining('queued, crawling, success, failed'),
    })
  }
  await store.queues.create('strict', { preset: 'crawl', policy: { strict: true } })
  const strict = await makeJob({ queue: 'strict' })
  for (const word of WORDS) expect((await put(strict, word)).body.code).toBe('strict_queue')
  const elsewhere = (await store.enqueue({ queue: 'elsewhere', kind: 'k' })).jobId
  expect((await put(elsewhere, 'failed')).body.code).toBe('unknown_job')
  expect((await put(elsewhere, 'failed', '?queue=elsewhere')).status).toBe(200)
  expect((await put(999, 'queued')).status).toBe(404)
})
