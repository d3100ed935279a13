import { expect, it } from 'vitest'
import { LIMITS } from '../../src/domain/limits.js'
import { AwaitedEnds } from '../../src/handles/awaited-ends.js'
import type { JobEnd } from '../../src/handles/job-ended.js'

const most = LIMITS.bulkIdsMax.default

const end = (jobId: number): JobEnd => ({
  jobId,
  attempt: 1,
  state: 'succeeded',
  finishedAt: new Date(0),
  result: { of: jobId },
  reason: null,
  errorClass: null,
  errorMessage: null,
  errorStack: null,
  errorFingerprint: null,
})

it('who does not fit in one question is asked for by the next', () => {
  const awaited = new AwaitedEnds(() => {})
  for (let jobId = 1; jobId <= most; jobId++) void awaited.wait(jobId, {})
  const ids = Array.from({ length: most }, (_, n) => n + 1)
  expect(awaited.next()).toEqual({ jobIds: ids, all: true })
  expect(awaited.next().jobIds[0]).toBe(1)
  void awaited.wait(most + 1, {})
  expect(awaited.next()).toEqual({ jobIds: ids, all: false })
  expect(awaited.next()).toEqual({ jobIds: [most + 1, ...ids.slice(0, -1)], all: false })
})

it('everybody who waits for a job is told of its end, and the last to leave is noticed', async () => {
  let deserted = 0
  const awaited = new AwaitedEnds(() => deserted++)
  const stop = new AbortController()
  const both = [awaited.wait(1, {}), awaited.wait(1, {})]
  const other = awaited.wait(2, { signal: stop.signal })
  awaited.deliver(end(1))
  expect(await Promise.all(both)).toEqual([end(1), end(1)])
  expect([awaited.size, deserted]).toEqual([1, 0])
  stop.abort(new Error('enough'))
  await expect(other).rejects.toThrow('enough')
  expect([awaited.size, deserted]).toEqual([0, 1])
})
