// S1.18 on /metrics: how each queue has done lately.
import { expect, it } from 'vitest'
import { readExposition, samplesOf } from '../support/exposition.js'
import { pinnedServer } from '../support/served-world.js'

const MINUTE = 60_000

it('S1.18 /metrics exports depth, failed rate, retry success, priorities and average wait of each queue over 15 min, 1 h and 24 h', async () => {
  const { store, call } = await pinnedServer()
  const queue = 'crawls'
  await store.queues.create(queue, { policy: { retryBaseMs: 1000 } })
  const one = (kind: string, priority = 0) => store.enqueue({ queue, kind, priority, maxRetries: 1 })
  const end = async (outcome: 'succeeded' | 'failed') => {
    const [job] = await store.work.claim({ worker: 'w', queues: [queue], limit: 1 })
    if (job === undefined) throw new Error('there was nothing to claim')
    await store.work.finish([
      { ...job, outcome, ...(outcome === 'failed' ? { error: new Error('no') } : {}) },
    ])
  }

  // Half a day ago: one that failed for good.
  await one('a')
  await end('failed')
  await store.clock.advance(2_000)
  await end('failed')
  await store.clock.advance(12 * 60 * MINUTE)
  // Lately: one that waited ten seconds and succeeded at its second attempt, and one that succeeded at once.
  await one('b')
  await store.clock.advance(10_000)
  await end('failed')
  await store.clock.advance(2_000)
  await end('succeeded')
  await one('c')
  await end('succeeded')
  await one('d', 5)
  await one('e', 12)
  await one('f', 100)
  await store.clock.advance(2 * MINUTE)
  await store.upkeep.countMinutes()

  const { status, text, headers } = await call('GET', '/metrics')
  expect(status).toBe(200)
  expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
  const families = readExposition(text)
  const labels = { tenant: 'default', queue }
  const value = (name: string, more: Record<string, string> = {}) =>
    samplesOf(families, name, { ...labels, ...more }).map((sample) => sample.value)
  expect(value('holdfast_queue_depth')).toEqual([3])
  expect(value('holdfast_queue_priority_jobs', { priority: '0-9' })).toEqual([1])
  expect(value('holdfast_queue_priority_jobs', { priority: '10-19' })).toEqual([1])
  expect(value('holdfast_queue_priority_jobs', { priority: '90-100' })).toEqual([1])
  expect(value('holdfast_queue_failed_ratio', { window: '15m' })).toEqual([0])
  expect(value('holdfast_queue_failed_ratio', { window: '1h' })).toEqual([0])
  expect(value('holdfast_queue_failed_ratio', { window: '24h' })).toEqual([1 / 3])
  expect(value('holdfast_queue_retry_success_ratio', { window: '15m' })).toEqual([1])
  expect(value('holdfast_queue_retry_success_ratio', { window: '24h' })).toEqual([1 / 2])
  expect(value('holdfast_queue_wait_average_seconds', { window: '1h' })).toEqual([5])
  expect(value('holdfast_queue_wait_average_seconds', { window: '24h' })).toEqual([10 / 3])
})
