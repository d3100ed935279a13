/** Load for `up --demo`: a steady trickle of simulated jobs, with a burst now and then so that the workers scale up. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Catalogue } from '../../app/catalogue.js'
import type { App } from '../../app/holdfast.js'

export const DEMO_QUEUE = 'catalogue'

const TICK_MS = 300
const BURST_EVERY = 24
const BURST = 40
/** No more jobs are added above this queue depth. */
const QUEUED_MAX = 300
/** One job in five is of a kind that fails. */
const TROUBLE_EVERY = 5

/** Resolves after the signal is aborted and the last enqueue has returned. */
export async function startLoad(app: App, { jobs }: Catalogue, signal: AbortSignal): Promise<void> {
  const quick = jobs.filter(({ kind }) => kind === 'send-email' || kind === 'resize-image')
  const others = jobs.filter((job) => !quick.includes(job))
  for (let tick = 0; !signal.aborted; tick += 1) {
    const burst = tick % BURST_EVERY === 6
    const trouble = tick % TROUBLE_EVERY === 1
    const kinds = burst
      ? Array.from({ length: BURST }, (_, n) => quick[n % quick.length])
      : [trouble ? others[Math.floor(tick / TROUBLE_EVERY) % others.length] : quick[tick % quick.length]]
    const queued = (await app.store.list.queueCounts()).reduce((sum, count) => sum + count.queued, 0)
    if (queued < QUEUED_MAX)
      await Promise.all(kinds.map((job, n) => job && app.enqueue(job, { order: tick * 100 + n })))
    await wait(TICK_MS, undefined, { signal }).catch(() => {})
  }
}
