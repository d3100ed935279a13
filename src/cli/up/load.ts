/** Something to do for the demo: a trickle of pretended work, and a burst now and then that makes the workers grow. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Catalogue } from '../../app/catalogue.js'
import type { App } from '../../app/holdfast.js'

export const DEMO_QUEUE = 'catalogue'

const TICK_MS = 300
const BURST_EVERY = 24
const BURST = 40
/** Past this nobody gains from more. */
const ENOUGH = 300
/** Most work goes well; one job in five is of a kind that does not, in turn. */
const TROUBLE_EVERY = 5

/** Resolves when the signal has been aborted and no enqueue is under way. */
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
    if (queued < ENOUGH)
      await Promise.all(kinds.map((job, n) => job && app.enqueue(job, { order: tick * 100 + n })))
    await wait(TICK_MS, undefined, { signal }).catch(() => {})
  }
}
