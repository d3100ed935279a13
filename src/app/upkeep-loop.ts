/**
 * What has to happen whether or not anybody asks for a job: every process that works looks after it, each at its own pace; any number
 * may do so at once. A pass that fails is followed by the next.
 */
import { setMaxListeners } from 'node:events'
import type { Chores } from '../domain/chores.js'
import type { HoldfastError } from '../domain/errors.js'
import type { LocalSettings } from '../domain/settings.js'
import type { Store } from '../store/store.js'
import type { WebhookOptions } from '../webhooks/addresses.js'
import type { WorkerLog } from '../worker/worker-options.js'
import type { Chore } from './chores/chore.js'
import { ChoreDesk } from './chores/desk.js'

export interface UpkeepLoop {
  /** To look at them, and to have one done now. */
  readonly chores: Chores
  /** Resolves when no pass is under way any more; calls of webhooks are broken off, and made again by whoever comes next. */
  stop(): Promise<void>
}

/** A database that is away is asked again after this. */
const AFTER_FAILURE_MS = 1_000
/** How long a changed interval may go unnoticed. */
const LOOK_AGAIN_MS = 10_000

export function startUpkeep(
  store: Store,
  log?: WorkerLog,
  local: LocalSettings = {},
  webhooks?: WebhookOptions,
): UpkeepLoop {
  const stopping = new AbortController()
  // One for each chore, and there are more than the ten that Node takes for a leak.
  setMaxListeners(0, stopping.signal)
  const desk = new ChoreDesk(store, local, webhooks)
  const loops = desk.chores.map((chore) =>
    loop(desk, chore, stopping.signal, log).finally(() => chore.finish?.().catch(() => {})),
  )
  return {
    chores: desk,
    async stop() {
      stopping.abort()
      await Promise.all(loops)
    },
  }
}

async function loop(
  desk: ChoreDesk,
  chore: Chore,
  signal: AbortSignal,
  log: WorkerLog | undefined,
): Promise<void> {
  // At once, so that a fleet that was away begins with what has fallen due.
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
        log?.debug({ chore: chore.name }, 'upkeep is left to those who may')
        return
      }
      log?.warn({ chore: chore.name, error: message }, 'upkeep failed')
      if (!(await awake(AFTER_FAILURE_MS, signal))) return
    }
  }
}

/** Waits for the next pass, never in step with others. The interval is a setting, which may change while we wait. */
async function until(chore: Chore, signal: AbortSignal): Promise<boolean> {
  const began = performance.now()
  const share = 0.9 + Math.random() / 5
  for (;;) {
    const left = began + (await chore.everyMs()) * (chore.exact ? 1 : share) - performance.now()
    if (!(await awake(Math.max(0, Math.min(left, LOOK_AGAIN_MS)), signal))) return false
    if (left <= LOOK_AGAIN_MS) return true
  }
}

/** False: we are stopping. */
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
    // Work keeps a process alive, the wish to tidy up does not.
    timer.unref()
    signal.addEventListener('abort', onAbort)
  })
}
