/**
 * A shop on a bad afternoon, for tests and pictures of the dashboard: made through the same verbs as any program's jobs, with a clock that
 * the caller owns, so that two runs show the same. What is wrong in it: the card network refuses connections since an hour, a conversation
 * is blocked by its first job, images are paused by a person, reports have no worker, a worker died, and a schedule is late.
 */
import type { Store } from 'holdfast/store'
import type { PinnedClock } from 'holdfast/testing'
import { addCare } from './care.js'
import { passTime } from './past.js'
import { addBusy, addPresent, type Present } from './present.js'

export interface ShopOptions {
  /** The present of the shop. */
  readonly now?: Date
  /** How long its history is. */
  readonly hours?: number
  readonly everyMinutes?: number
  readonly jobsPerStep?: number
  /** For pictures: the last hour minute by minute, leases as short as usual, and jobs that run now. Takes longer to make. */
  readonly lifelike?: boolean
}

export interface Shop extends Present {
  readonly now: Date
}

/** A Tuesday afternoon; no daylight saving time begins or ends near it. */
const SHOP_NOW = new Date('2026-11-17T14:03:20Z')
export const PARTNER_DOWN = 'connect ECONNREFUSED 10.0.4.7:443'
/** So long the card network has refused connections. */
export const DOWN_MINUTES = 80

/** `version` is of Holdfast, `appVersion` of the shop's own programs; the last deploy of billing came with the trouble. */
export const WORKERS = [
  { worker: 'billing-1', queues: ['billing'], version: '0.1.0', appVersion: '1.4.2', slots: 10 },
  { worker: 'billing-2', queues: ['billing'], version: '0.1.0', appVersion: '1.4.2', slots: 10 },
  { worker: 'chat-1', queues: ['conversations'], version: '0.1.0', appVersion: '2.0.1', slots: 20 },
  { worker: 'chat-2', queues: ['conversations'], version: '0.1.0', appVersion: '2.0.1', slots: 20 },
  { worker: 'mailer-1', queues: ['mails', 'crm'], version: '0.1.0', appVersion: '1.4.1', slots: 40 },
  { worker: 'images-1', queues: ['images'], version: '0.1.0', appVersion: '3.1.0', slots: 8 },
] as const

/** What a step of the past enqueues, as shares of it, with how long it runs. */
export const KINDS = [
  { kind: 'send-email', queue: 'mails', share: 0.45, runMs: 90 },
  { kind: 'charge-card', queue: 'billing', share: 0.2, runMs: 420 },
  { kind: 'reply', queue: 'conversations', share: 0.2, runMs: 1_800 },
  { kind: 'resize-image', queue: 'images', share: 0.1, runMs: 650 },
  { kind: 'sync-contact', queue: 'crm', share: 0.05, runMs: 240 },
] as const

export async function fillShop(store: Store, clock: PinnedClock, options: ShopOptions = {}): Promise<Shop> {
  const { now = SHOP_NOW, hours = 0.5, everyMinutes = 10, jobsPerStep = 60, lifelike = false } = options
  await clock.set(new Date(now.getTime() - hours * 3_600_000))
  await addQueues(store)
  await addSchedules(store)
  const leases = await passTime(store, clock, { now, everyMinutes, jobsPerStep, lifelike })
  const present = await addPresent(store, clock, { now, leases })
  const busy = lifelike ? await addBusy(store, clock, { now, leases }) : [10, 7, 14, 9, 1]
  await addCare(store, clock, now, busy)
  return { ...present, now }
}

/** Retries come when they are expected: two runs show the same. */
const STEADY = { jitterLow: 0, jitterHigh: 0 }

async function addQueues(store: Store): Promise<void> {
  const billing = { maxRetries: 4, retryBaseMs: 30_000, maxRunning: 20 }
  await store.queues.create('billing', { policy: { ...STEADY, ...billing } })
  await store.queues.create('conversations', { preset: 'target', policy: { leaseMs: 3_600_000 } })
  await store.queues.create('mails', { policy: { ...STEADY, rateLimit: 600, ratePeriodMs: 60_000 } })
  await store.queues.create('images', { policy: { ...STEADY, maxRunning: 8 } })
  await store.queues.create('crm', { policy: STEADY })
  await store.queues.create('reports', { policy: STEADY })
}

async function addSchedules(store: Store): Promise<void> {
  const zone = { timeZone: 'Europe/Berlin' }
  await store.schedules.create({
    ...{ name: 'nightly-report', expression: '30 2 * * *', ...zone },
    ...{ queue: 'reports', kind: 'nightly-report', description: 'Revenue of the day, for finance' },
  })
  await store.schedules.create({
    ...{ name: 'sync-contacts', expression: '*/10 * * * *', queue: 'crm', kind: 'sync-contact' },
    ...{ input: { since: 'last' }, overlap: 'skip' },
  })
  await store.schedules.create({
    ...{ name: 'weekly-digest', expression: '0 9 * * 1', timeZone: 'America/New_York' },
    ...{ queue: 'mails', kind: 'send-email', input: { template: 'digest' } },
  })
  await store.schedules.create({
    ...{ name: 'clean-thumbnails', expression: '0 */2 * * *', queue: 'images', kind: 'resize-image' },
  })
}
