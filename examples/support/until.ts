import { setTimeout as wait } from 'node:timers/promises'

const LOOK_MS = 50

/** Resolves with the first value that is neither undefined nor false. Rejects when the signal aborts. */
export async function until<T>(look: () => Promise<T | undefined | false>, signal: AbortSignal): Promise<T> {
  for (;;) {
    const seen = await look()
    if (seen !== undefined && seen !== false) return seen
    await wait(LOOK_MS, undefined, { signal })
  }
}
