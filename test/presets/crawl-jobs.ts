/** Crawl jobs in every state, and the admin API they are asked through. */
import type { ClaimedJob } from 'holdfast/store'
import { type Served, servePinned } from '../support/http.js'
import type { World } from '../support/world.js'

export const HOUR = 3_600_000
export const WORDS = ['queued', 'crawling', 'success', 'failed'] as const

let server: Served<World>
export let store: World

/** Before each test. */
export async function openCrawls(): Promise<void> {
  server = await servePinned()
  store = server.store
  await store.queues.create('crawls', { preset: 'crawl' })
}

export const makeJob = async (more = {}) =>
  (await store.enqueue({ queue: 'crawls', kind: 'crawl', maxRetries: 0, ...more })).jobId
export const claim = async (jobId: number) =>
  (await store.work.claimById(jobId, { worker: 'crawler' })) as ClaimedJob
export const claimed = async (more = {}) => claim(await makeJob(more))
const ended = async (outcome: 'succeeded' | 'failed', more = {}) => {
  const job = await claimed(more)
  await store.work.finish([{ ...job, outcome }])
  return job.jobId
}
export const admin = (method: string, path: string, body?: unknown) =>
  server.call(method, `/api/admin/jobs${path}`, body)
export const put = (id: number, status: unknown, query = '') =>
  admin('PUT', `/${id}/status${query}`, { status })
export const stateOf = async (id: number) => (await store.read.job(id)).state

/** A job in each state that a crawl job can be in, whatever its word. */
export const MADE = {
  queued: () => makeJob(),
  pending: () => makeJob({ pending: true }),
  scheduled: () => makeJob({ delayMs: HOUR }),
  retrying: () => ended('failed', { maxRetries: 3 }),
  paused: async () => {
    await store.queues.setPolicy('crawls', { onCancel: 'pause' })
    const job = await claimed()
    await store.commands.cancel(job.jobId)
    await store.work.finish([{ ...job, outcome: 'canceled' }])
    return job.jobId
  },
  errored: async () => {
    await store.queues.setPolicy('crawls', { onError: 'block' })
    return ended('failed')
  },
  parked: async () => {
    const job = await claimed()
    await store.work.finish([{ ...job, outcome: 'parked' }])
    return job.jobId
  },
  assigned: async () => (await claimed()).jobId,
  running: async () => {
    const job = await claimed()
    await store.work.start([job])
    return job.jobId
  },
  succeeded: () => ended('succeeded'),
  failed: async () => {
    await store.queues.setPolicy('crawls', { onError: 'continue' })
    return ended('failed')
  },
  canceled: async () => {
    const id = await makeJob()
    await store.commands.cancel(id)
    return id
  },
} as const

export type Made = keyof typeof MADE

const WORD: Record<string, string> = {
  assigned: 'crawling',
  running: 'crawling',
  succeeded: 'success',
  failed: 'failed',
  canceled: 'failed',
}
export const wordOf = (state: string) => WORD[state] ?? 'queued'
