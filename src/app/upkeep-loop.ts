/**
 * Runs the chores of upkeep: every process that works runs each chore at its own pace; any number
 * may do so at once. A pass that fails is followed by the next.
 */

import { setMaxListeners } from 'node:events'
import type { Chores } from '../domain/chores.js'
import type { HoldfastError } from '../domain/errors/errors.js'
import type { Log } from '../domain/log.js'
import type { LocalSettings } from '../domain/settings.js'
import type { Store } from '../store/store.js'
import type { WebhookOptions } from '../webhooks/addresses.js'
import { settlesWithin } from '../worker/settles-within.js'
import type { Chore } from './chores/chore.js'
import { ChoreRunner } from './chores/chore-runner.js'

export interface UpkeepLoop {
  /** Lists the chores, and runs one on request. */
  readonly chores: Chores
  /**
   * Resolves when no pass runs any more; webhook calls are aborted, and another process repeats them. A pass that the
   * database does not answer is left behind, to end with its connection.
   */
  stop(): Promise<void>
}

/** How soon a pass is retried after a failure. */
const AFTER_FAILURE_MS = 1_000
/** How long a changed interval may go unnoticed. */
const LOOK_AGAIN_MS = 10_000
/** How long to wait for running passes at a stop. */
const STOP_MS = 5_000

export function startUpkeep(
  store: Store,
  log?: Log,
  local: LocalSettings = {},
  webhooks?: WebhookOptions,
): UpkeepLoop {
  const stopping = new AbortController()
  // One for each chore, and there are more than the ten that Node takes for a leak.
  setMaxListeners(0, stopping.signal)
  const desk = new ChoreRunner(store, local, webhooks)
  const loops = desk.chores.map((chore) =>
    loop(desk, chore, stopping.signal, log).finally(() => chore.finish?.().catch(() => {})),
  )
  return {
    chores: desk,
    async stop() {
      stopping.abort()
      await settlesWithin(STOP_MS, Promise.all(loops))
    },
  }
}

async function loop(
  desk: ChoreRunner,
  chore: Chore,
  signal: AbortSignal,
  log: Log | undefined,
): Promise<void> {
  // At once, so that a fleet that was down begins with what has become due.
  for (;;) {
    if (signal.aborted) return
    try {
      const { more } = await desk.pass(chore, signal)
      if (!more && !(await until(chore, signal))) return
    } catch (error) {
      if (signal.aborted) return
      const { code, message } = error as Partial<HoldfastError>
      // A role that may only work leaves it to others.
      if (code === 'forbidden') {
        log?.debug(
          { event: 'upkeep_forbidden', chore: chore.name },
          'role may not run this chore; left to other processes',
        )
        return
      }
      log?.warn({ event: 'upkeep_failed', chore: chore.name, error: message }, 'upkeep failed')
      if (!(await awake(AFTER_FAILURE_MS, signal))) return
    }
  }
}

/** Waits for the next pass, with jitter. The interval is a setting, which may change meanwhile. */
async function until(chore: Chore, signal: AbortSignal): Promise<boolean> {
  const began = performance.now()
  const share = 0.9 + Math.random() / 5
  for (;;) {
    const left = began + (await chore.everyMs()) * (chore.exact ? 1 : share) - performance.now()
    if (!(await awake(Math.max(0, Math.min(left, LOOK_AGAIN_MS)), signal))) return false
    if (left <= LOOK_AGAIN_MS) return true
  }
}

/** False: the loop is stopping. */
function awake(ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false)
  return new Promise((resolve) => {
    const done = (more: boolean) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      resolve(more)
    }
    const onAbort = () => done(false)
    const timer = setTimeout(() => done(true), ms)
    // Upkeep alone must not keep a process alive.
    timer.unref()
    signal.addEventListener('abort', onAbort)
  })
}
