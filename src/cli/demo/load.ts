/** Load for `up --demo`: a steady trickle of simulated jobs and of a shop, with a burst now and then so that the workers scale up. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Catalogue } from '../../app/catalogue.js'
import type { App } from '../../app/holdfast.js'
import { openShop, serveShop } from './shop.js'

export const DEMO_QUEUE = 'catalogue'

const TICK_MS = 300
const BURST_EVERY = 24
const BURST = 40
/** No more jobs are added above this queue depth. */
const QUEUED_MAX = 300
/** What happened is counted after so many ticks, long before upkeep does: people look at the first minute of a demo. */
const COUNTED_EVERY = 7
const COUNTED_MAX = 5_000
/** One job in five is of a kind that fails. */
const TROUBLE_EVERY = 5

/** Resolves after the signal is aborted and the last enqueue has returned. */
export async function startLoad(app: App, { jobs }: Catalogue, signal: AbortSignal): Promise<void> {
  const quick = jobs.filter(({ kind }) => kind === 'send-email' || kind === 'resize-image')
  const others = jobs.filter((job) => !quick.includes(job))
  await openShop(app)
  for (let tick = 0; !signal.aborted; tick += 1) {
    const burst = tick % BURST_EVERY === 6
    const trouble = tick % TROUBLE_EVERY === 1
    const kinds = burst
      ? Array.from({ length: BURST }, (_, n) => quick[n % quick.length])
      : [trouble ? others[Math.floor(tick / TROUBLE_EVERY) % others.length] : quick[tick % quick.length]]
    const queued = (await app.store.list.queueCounts()).reduce((sum, count) => sum + count.queued, 0)
    if (queued < QUEUED_MAX) {
      await Promise.all(kinds.map((job, n) => job && app.enqueue(job, { order: tick * 100 + n })))
      await serveShop(app, tick)
    }
    if (tick % COUNTED_EVERY === 0) await app.store.upkeep.countMinutes(COUNTED_MAX)
    await wait(TICK_MS, undefined, { signal }).catch(() => {})
  }
}
