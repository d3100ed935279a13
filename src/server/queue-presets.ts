/** The presets of queues, remembered for a moment: answers about new jobs need them, and an enqueue must not cost another query. */
import { HoldfastError } from '../domain/errors/errors.js'
import type { PresetName } from '../presets/presets.js'
import type { Store } from '../store/store.js'
import type { HttpLimits } from './http/limits.js'

interface Remembered {
  readonly preset: Promise<PresetName>
  readonly until: number
}

export class QueuePresets {
  readonly #limits: HttpLimits
  readonly #known = new Map<string, Remembered>()

  constructor(limits: HttpLimits) {
    this.#limits = limits
  }

  async get(store: Store, tenant: string, queue: string): Promise<PresetName> {
    const name = `${tenant} ${queue}`
    const known = this.#known.get(name)
    if (known !== undefined && performance.now() < known.until) return known.preset
    if (this.#known.size >= this.#limits.keysCachedMax) this.#known.clear()
    const preset = presetOf(store, tenant, queue)
    this.#known.set(name, { preset, until: performance.now() + this.#limits.keyCacheMs })
    preset.catch(() => this.#known.delete(name))
    return preset
  }
}

async function presetOf(store: Store, tenant: string, queue: string): Promise<PresetName> {
  try {
    return (await store.queues.get(queue, { tenant })).preset
  } catch (error) {
    // Removed since the job was made.
    if (error instanceof HoldfastError && error.code === 'unknown_queue') return 'default'
    throw error
  }
}
