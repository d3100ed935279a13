import { defineJob, holdfast, type QueueDeclaration } from 'holdfast'
import type { Store } from 'holdfast/store'
import { beforeEach, describe, expect, it } from 'vitest'
import { freshStore } from '../support/world.js'

let store: Store
beforeEach(async () => {
  store = await freshStore()
})

const start = (queues: Record<string, QueueDeclaration>) => holdfast({ store, queues })
const events = async () => (await store.read.feed('all')).events.length

describe('queues as the program declares them', () => {
  it('are made with their preset and policy', async () => {
    await start({ crawl: { preset: 'crawl', maxRetries: 9 }, plain: {} })
    expect(await store.queues.get('crawl')).toMatchObject({
      preset: 'crawl',
      maxRetries: 9,
      leaseMs: 900_000,
    })
    expect(await store.queues.get('plain')).toMatchObject({ preset: 'default' })
  })

  it('get what the program says anew, and keep what it does not say', async () => {
    await start({ mail: { maxRetries: 9, leaseMs: 60_000 } })
    await store.queues.setPolicy('mail', { timeoutMs: 5_000 }, { actor: 'ada' })
    await start({ mail: { maxRetries: 2 } })
    expect(await store.queues.get('mail')).toMatchObject({ maxRetries: 2, leaseMs: 60_000, timeoutMs: 5_000 })
  })

  it('are left alone when nothing differs', async () => {
    await start({ mail: { preset: 'default', maxRetries: 9 } })
    const before = await events()
    await start({ mail: { preset: 'default', maxRetries: 9 } })
    expect(await events()).toBe(before)
  })

  it('change their preset while no live job was attempted, and not otherwise', async () => {
    await start({ mail: { preset: 'catalog' } })
    await start({ mail: { preset: 'crawl', maxRetries: 7 } })
    expect(await store.queues.get('mail')).toMatchObject({ preset: 'crawl', maxRetries: 7 })
    await store.enqueue({ queue: 'mail', kind: 'k' })
    await start({ mail: { preset: 'pipeline' } })
    await start({ mail: { preset: 'crawl' } })
    await store.work.claim({ worker: 'w', queues: ['mail'] })
    await expect(start({ mail: { preset: 'catalog' } })).rejects.toMatchObject({ code: 'queue_in_use' })
    expect(await store.queues.get('mail')).toMatchObject({ preset: 'crawl' })
  })

  it('are refused with the nearest name when a policy is misspelt', async () => {
    await expect(start({ mail: { maxRetrys: 1 } as object })).rejects.toThrow('maxRetries')
  })

  it('belong to the tenant of the app', async () => {
    await holdfast({ store, tenant: 'acme', queues: { mail: { maxRetries: 1 } } })
    expect(await store.queues.get('mail', { tenant: 'acme' })).toMatchObject({ maxRetries: 1 })
    await expect(store.queues.get('mail')).rejects.toMatchObject({ code: 'unknown_queue' })
  })
})

it('two jobs of one kind are refused', async () => {
  const job = () => defineJob({ kind: 'same', handler: async () => null })
  await expect(holdfast({ store, jobs: [job(), job()] })).rejects.toMatchObject({
    details: { path: '/jobs/1/kind' },
  })
})
