// Idle latency: a worker with nothing to do gets one job at a time. Counted from the call that enqueues to the first line of the
// handler; producer and worker share a process, and so a clock. The pause between two jobs is random, so that no job meets a poll.
import { setTimeout as wait } from 'node:timers/promises'
import { tell } from './answer.js'
import { percentile } from './holds.js'

/** Jobs before those that count. */
export const WARM = 20
const LEAST_MS = 30
const MORE_MS = 40

/** Says when a handler begins: the handler calls `begun(n)`, whoever enqueued job `n` waits for `started(n)`. */
export class Arrivals {
  #waiting = new Map()

  begun(n) {
    this.#waiting.get(n)?.(performance.now())
  }

  started(n) {
    return new Promise((resolve) => this.#waiting.set(n, resolve))
  }
}

export async function idleLatency(count, arrivals, enqueue) {
  const waits = []
  for (let n = 0; n < count + WARM; n += 1) {
    await wait(LEAST_MS + Math.random() * MORE_MS)
    const started = arrivals.started(n)
    const from = performance.now()
    await enqueue(n)
    const ms = (await started) - from
    if (n >= WARM) waits.push(ms)
    tell(n)
  }
  const [p50, p99] = [percentile(waits, 0.5), percentile(waits, 0.99)]
  return { jobs: count + WARM, waits, p50, p99, rate: 1000 / p50 }
}
