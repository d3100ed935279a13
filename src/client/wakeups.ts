/** Wake-ups for new jobs by a long poll, one per claimer. If it fails, claimers poll at their usual interval. */
import type { Wakeups } from '../domain/port.js'
import { Backoff } from '../domain/retry.js'
import { Calls } from './calls.js'
import type { TransportOptions } from './transport.js'

const WAIT_MS = 25_000
const PAUSES = { firstMs: 400, maxMs: 5_000, jitter: 0.5 }

export function httpWakeups(options: TransportOptions): Wakeups {
  const calls = new Calls({ ...options, retries: 0 })
  let listening = 0
  return {
    get active() {
      return listening > 0
    },
    on(queues, wake) {
      const stopped = new AbortController()
      void listen(calls, [...queues], wake, stopped.signal, (change) => {
        listening += change
      })
      return () => stopped.abort()
    },
  }
}

async function listen(
  calls: Calls,
  queues: string[],
  wake: () => void,
  signal: AbortSignal,
  count: (change: number) => void,
): Promise<void> {
  let seen: string | undefined
  let reached = false
  const backoff = new Backoff(PAUSES)
  while (!signal.aborted) {
    try {
      const body = { queues, wait_ms: WAIT_MS, ...(seen === undefined ? {} : { seen }) }
      const answer = await calls.call('POST', '/api/v1/work/wait', {
        body,
        signal,
        timeoutMs: WAIT_MS + 10_000,
      })
      if (!reached) count(1)
      reached = true
      backoff.reset()
      seen = answer.seen
      if (answer.woken) wake()
    } catch {
      if (reached) count(-1)
      reached = false
      await backoff.wait(signal)
    }
  }
  if (reached) count(-1)
}
