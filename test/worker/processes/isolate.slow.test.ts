// Handlers in threads and processes of their own.
import { describe, expect, it } from 'vitest'
import { expectHealthy, freshStore } from '../../support/world.js'
import { QUEUE, until } from '../world.js'
import { startProcess } from './world.js'

const module = new URL('./handlers.js', import.meta.url).href

describe.each(['thread', 'process'] as const)('a handler in a %s of its own', (isolate) => {
  const options = { isolated: { apart: { isolate, module } }, abortMs: 100, heartbeatMs: 300, concurrency: 2 }
  const job = (input: object) => ({ queue: QUEUE, kind: 'apart', input })

  it('has its context by message, stays warm, and passes results, failures and words', async () => {
    const store = await freshStore()
    await startProcess(store, { ...options, concurrency: 1 })
    const told = await store.enqueue(job({ does: 'tell' }))
    const thrown = await store.enqueue(job({ does: 'throw' }))
    const snoozed = await store.enqueue(job({ does: 'snooze', ms: 3_600_000 }))
    const plain = await store.enqueue(job({}))
    // Ends are written side by side: a later job may have ended in the database before an earlier one.
    const stateOf = async (jobId: number) => (await store.read.job(jobId))?.state
    await expect.poll(() => stateOf(plain.jobId)).toBe('succeeded')
    await expect.poll(() => stateOf(told.jobId)).toBe('succeeded')
    await expect.poll(() => stateOf(thrown.jobId)).toBe('retrying')
    await expect.poll(() => stateOf(snoozed.jobId)).toBe('scheduled')
    const first = await store.read.job(told.jobId)
    expect(first).toMatchObject({
      state: 'succeeded',
      result: { pid: expect.any(Number), newItems: 1, tokensUsed: 5 },
      lastCursor: { page: 2 },
    })
    expect((await store.read.attempts(told.jobId))[0]?.logExcerpt).toMatch(/info over there \{"jobId":/)
    expect((await store.read.attempts(thrown.jobId))[0]).toMatchObject({
      outcome: 'failed',
      errorClass: 'TypeError',
      errorMessage: 'from over there',
    })
    const pidOf = (result: unknown) => (result as { pid: number }).pid
    expect(pidOf((await store.read.job(plain.jobId))?.result)).toBe(pidOf(first?.result))
    await expectHealthy(store)
  })

  it('may crash: only its attempt fails', async () => {
    const store = await freshStore()
    await store.queues.create(QUEUE, { policy: { retryBaseMs: 0, retryCapMs: 0 } })
    const worker = await startProcess(store, options)
    const crashing = await store.enqueue(job({ does: 'crash' }))
    const fine = await store.enqueue(job({}))
    await until(async () => (await store.read.job(crashing.jobId))?.state === 'succeeded')
    await until(async () => (await store.read.job(fine.jobId))?.state === 'succeeded')
    expect((await store.read.attempts(crashing.jobId))[0]).toMatchObject({
      outcome: 'failed',
      errorClass: 'HandlerCrashed',
      errorMessage: expect.stringContaining('exit code 7'),
      worker: worker.worker,
    })
  })

  it('is ended for real when its time is up, or when a cancel finds it deaf', async () => {
    const store = await freshStore()
    const worker = await startProcess(store, options)
    const spinning = await store.enqueue({ ...job({ does: 'spin' }), timeoutMs: 300, maxRetries: 0 })
    const waiting = await store.enqueue(job({ does: 'wait' }))
    await until(async () => (await store.read.job(spinning.jobId))?.state === 'failed')
    expect(await store.read.job(spinning.jobId)).toMatchObject({
      lastError: 'The attempt took longer than 300 ms.',
    })
    const deaf = await store.enqueue(job({ does: 'spin' }))
    await until(async () => (await store.read.job(deaf.jobId))?.state === 'running')
    await store.commands.cancel(waiting.jobId)
    await store.commands.cancel(deaf.jobId)
    await until(async () => (await store.read.job(waiting.jobId))?.state === 'canceled')
    await until(async () => (await store.read.job(deaf.jobId))?.state === 'canceled')
    worker.tell('stats')
    expect(await worker.hear(({ stats }) => stats !== undefined)).toMatchObject({
      stats: { leaked: 0, busy: 0 },
    })
  })
})
