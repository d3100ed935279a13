/**
 * What has to happen whether or not anybody asks for a job: every process that works looks after it, each at its own pace; any number
 * may do so at once. A pass that fails is followed by the next.
 */
import type { HoldfastError } from '../domain/errors.js'
import { SETTINGS, type SettingName } from '../domain/settings.js'
import type { SettingNow } from '../store/settings.js'
import type { Store } from '../store/store.js'
import type { WorkerLog } from '../worker/worker-options.js'
import { fireChore } from './chores/fire.js'

export interface Chore {
  readonly name: string
  /** Asked again before each pass, because settings change. */
  everyMs(): number | Promise<number>
  /** It knows its time to the millisecond; others are kept from going in step. */
  readonly exact?: boolean
  /** Answers whether there is more to do at once. */
  run(): Promise<boolean>
}

export interface UpkeepLoop {
  /** Resolves when no pass is under way any more. */
  stop(): Promise<void>
}

const MINUTE_MS = 60_000
/** As many as one pass takes; a pass that was full is followed by another. */
const PASS = 1_000
/** A database that is away is asked again after this. */
const AFTER_FAILURE_MS = 1_000
const SETTINGS_FOR_MS = 10_000

export function startUpkeep(store: Store, log?: WorkerLog): UpkeepLoop {
  const stopping = new AbortController()
  const loops = choresOf(store, log).map((chore) => loop(chore, stopping.signal, log))
  return {
    async stop() {
      stopping.abort()
      await Promise.all(loops)
    },
  }
}

function choresOf(store: Store, log: WorkerLog | undefined): Chore[] {
  const { upkeep, settings } = store
  const now = lately(() => settings.list())
  const once = async (work: Promise<number>) => {
    await work
    return false
  }
  return [
    {
      name: 'due jobs, lost leases and targets',
      everyMs: () => now('RECLAIM_INTERVAL_MS'),
      run: async () => (await upkeep.bringIn(PASS)) >= PASS,
    },
    {
      name: 'aging',
      everyMs: async () => (await now('AGE_EVERY_SEC')) * 1000,
      run: async () =>
        once(
          upkeep.age({
            afterMs: (await now('AGE_AFTER_SEC')) * 1000,
            step: await now('AGE_STEP'),
            cap: await now('AGE_CAP'),
            everyMs: (await now('AGE_EVERY_SEC')) * 1000,
          }),
        ),
    },
    fireChore(store, async () => (await now('FIRE_EVERY_SEC')) * 1000, log),
    { name: 'room for jobs', everyMs: () => MINUTE_MS, run: () => once(upkeep.makePartitions()) },
    { name: 'old jobs', everyMs: () => MINUTE_MS, run: async () => (await upkeep.prune()) > 0 },
    { name: 'old events', everyMs: () => 10 * MINUTE_MS, run: () => once(upkeep.forget()) },
  ]
}

/** Settings as they were a moment ago: an idle process must not ask for them all the time. */
function lately(list: () => Promise<SettingNow[]>): (name: SettingName) => Promise<number> {
  let known: Promise<SettingNow[]> | undefined
  let until = 0
  return async (name) => {
    if (known === undefined || performance.now() > until) {
      known = list()
      until = performance.now() + SETTINGS_FOR_MS
      known.catch(() => {
        known = undefined
      })
    }
    return (await known).find((setting) => setting.name === name)?.value ?? SETTINGS[name].default
  }
}

async function loop(chore: Chore, signal: AbortSignal, log: WorkerLog | undefined): Promise<void> {
  // At once, so that a fleet that was away begins with what has fallen due; after that never in step with others.
  let waitMs = 0
  while (await awake(waitMs, signal)) {
    try {
      const more = await chore.run()
      waitMs = more ? 0 : (await chore.everyMs()) * (chore.exact ? 1 : 0.9 + Math.random() / 5)
    } catch (error) {
      if (signal.aborted) return
      const { code, message } = error as Partial<HoldfastError>
      // A role that may only work leaves it to others.
      if (code === 'forbidden') {
        log?.debug({ chore: chore.name }, 'upkeep is left to those who may')
        return
      }
      log?.warn({ chore: chore.name, error: message }, 'upkeep failed')
      waitMs = AFTER_FAILURE_MS
    }
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
