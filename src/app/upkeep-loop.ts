/**
 * Runs the chores of upkeep: every process that works, or that asks for it, runs each chore at its own pace; any number
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

/** The chores as an app has them: listed, run once, or kept going in a program without workers of its own. */
export interface AppUpkeep extends Chores {
  /**
   * Runs every chore at its interval from now on, until `stop()` or the end of the app. For a program that only serves remote workers or
   * enqueues jobs; `work()` and `holdfast server` do it by themselves. It does not keep the process alive. A second call changes nothing.
   */
  start(): void
  /** Resolves when no chore runs any more. */
  stop(): Promise<void>
}

/** How soon a pass is retried after a failure. */
const AFTER_FAILURE_MS = 1_000
/** A failure that repeats is logged again after this long: one schedule that cannot be fired must not fill the log. */
const LOG_AGAIN_MS = 60_000
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
  const runner = new ChoreRunner(store, local, webhooks)
  const loops = runner.chores.map((chore) =>
    loop(runner, chore, stopping.signal, log).finally(() => chore.finish?.().catch(() => {})),
  )
  return {
    chores: runner,
    async stop() {
      stopping.abort()
      await settlesWithin(STOP_MS, Promise.all(loops))
    },
  }
}

export function upkeepOf(...parts: Parameters<typeof startUpkeep>): AppUpkeep {
  const [store, , local, webhooks] = parts
  const runner = new ChoreRunner(store, local, webhooks)
  let started: UpkeepLoop | undefined
  return {
    list: () => runner.list(),
    run: (name) => runner.run(name),
    start() {
      started ??= startUpkeep(...parts)
    },
    async stop() {
      const ending = started
      started = undefined
      await ending?.stop()
    },
  }
}

async function loop(
  runner: ChoreRunner,
  chore: Chore,
  signal: AbortSignal,
  log: Log | undefined,
): Promise<void> {
  let logged: { readonly message: string | undefined; readonly at: number } | undefined
  // At once, so that a fleet that was down begins with what has become due.
  for (;;) {
    if (signal.aborted) return
    try {
      const { more, everyMs } = await runner.pass(chore, signal)
      if (!more && !(await until(chore, everyMs, signal))) return
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
      if (
        logged === undefined ||
        logged.message !== message ||
        performance.now() - logged.at > LOG_AGAIN_MS
      ) {
        log?.warn({ event: 'upkeep_failed', chore: chore.name, error: message }, 'upkeep failed')
        logged = { message, at: performance.now() }
      }
      if (!(await awake(AFTER_FAILURE_MS, signal))) return
    }
  }
}

/** Waits for the next pass, with jitter. The interval is a setting, which may change meanwhile. */
async function until(chore: Chore, everyMs: number, signal: AbortSignal): Promise<boolean> {
  const began = performance.now()
  const share = 0.9 + Math.random() / 5
  for (let interval = everyMs; ; interval = await chore.everyMs()) {
    const left = began + interval * (chore.exact ? 1 : share) - performance.now()
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
