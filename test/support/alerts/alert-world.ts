/** A store on a clock that stands still, and how a test lets evaluations come and go. */
import type { Alert, Store } from 'holdfast/store'
import { expect } from 'vitest'
import { PRESENCE } from '../presence.js'
import type { World } from '../world.js'

/** Lets the time of the next evaluation come and evaluates; answers how many alerts changed. */
export async function nextCheck(store: World, afterMs = 15_000): Promise<number> {
  await store.clock.advance(afterMs)
  const changed = await store.alerts.check()
  expect(changed, 'it was not time for an evaluation').toBeDefined()
  return changed as number
}

/** Everything fires at once and clears at once, unless a test says otherwise. */
export async function withoutWaiting(store: Store): Promise<void> {
  await store.settings.set('ALERT_FOR_SEC', 0)
  await store.settings.set('ALERT_CLEAR_SEC', 0)
}

export async function firing(store: Store): Promise<string[]> {
  return (await store.alerts.list({ state: 'firing' })).map(({ rule, subject }) =>
    `${rule} ${subject}`.trim(),
  )
}

export async function typesOf(store: Store, alert?: Alert): Promise<string[]> {
  const events = await store.alerts.history(alert === undefined ? {} : { alert: alert.id })
  return events.map(({ type }) => type).reverse()
}

/** A worker that was heard of just now. */
export function beat(store: Store, worker: string, kinds: string[], queues: string[], draining = false) {
  return store.work.heartbeat({ ...PRESENCE, worker, kinds, queues, draining })
}

export async function enqueue(store: Store, queue: string, n: number, kind = 'k'): Promise<void> {
  for (let left = n; left > 0; left -= 1000)
    await store.enqueueMany(Array.from({ length: Math.min(left, 1000) }, () => ({ queue, kind })))
}
