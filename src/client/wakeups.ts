/** Hears of new work by a long poll, one for each claimer; when it cannot, claimers ask by themselves as often as ever. */
import type { Wakeups } from '../domain/port.js'
import { Calls } from './calls.js'
import type { TransportOptions } from './transport.js'

const WAIT_MS = 25_000
const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 5_000

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
  let failures = 0
  while (!signal.aborted) {
    try {
      const body = { queues, wait_ms: WAIT_MS, ...(seen === undefined ? {} : { seen }) }
      const answer = await calls.call('POST', '/api/v1/work/wait', {
        body,
        signal,
        timeoutMs: WAIT_MS + 10_000,
      })
      if (failures !== 0 || seen === undefined) count(1)
      failures = 0
      seen = answer.seen
      if (answer.woken) wake()
    } catch {
      if (failures === 0 && seen !== undefined) count(-1)
      failures += 1
      await pause(
        Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures) * (0.5 + Math.random() / 2),
        signal,
      )
    }
  }
  if (failures === 0 && seen !== undefined) count(-1)
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const timer = setTimeout(resolve, ms)
    const end = () => {
      clearTimeout(timer)
      resolve()
    }
    signal.addEventListener('abort', end, { once: true })
  })
}
