/**
 * Keeps in the database how the chores of this process go, for whoever looks from elsewhere. Said seldom, because an idle database must stay
 * idle: once a minute, and where something was done for the first time, did something or has failed, after ten seconds.
 */
import { hostname } from 'node:os'
import type { Store } from '../../store/store.js'
import type { ChoreNote } from '../../store/upkeep.js'

const EVERY_MS = 60_000
const NEWS_EVERY_MS = 10_000

/** One pass of a chore. */
export interface Pass {
  readonly name: string
  readonly everyMs: number
  readonly durationMs: number
  readonly rows: number
  readonly error: string | null
}

interface Kept extends Pass {
  readonly at: number
  readonly workedAt: number | null
  readonly runs: number
  readonly rowsTotal: number
  readonly failures: number
}

export class ChoreNotes {
  readonly #store: Store
  #kept = new Map<string, Kept>()
  #saidAt = Number.NEGATIVE_INFINITY
  #news = false
  readonly #heardOf = new Set<string>()
  #refused = false

  constructor(store: Store) {
    this.#store = store
  }

  async note(pass: Pass): Promise<void> {
    const before = this.#kept.get(pass.name)
    const at = performance.now()
    this.#kept.set(pass.name, {
      ...pass,
      at,
      workedAt: pass.rows > 0 ? at : (before?.workedAt ?? null),
      runs: (before?.runs ?? 0) + 1,
      rowsTotal: (before?.rowsTotal ?? 0) + pass.rows,
      failures: (before?.failures ?? 0) + (pass.error === null ? 0 : 1),
    })
    // The first pass of each is news: nobody may have done it for long.
    this.#news ||= pass.rows > 0 || pass.error !== null || !this.#heardOf.has(pass.name)
    this.#heardOf.add(pass.name)
    if (at >= this.#saidAt + (this.#news ? NEWS_EVERY_MS : EVERY_MS)) await this.say()
  }

  /** Everything kept so far, at once. It is no reason for upkeep to stop that nobody hears how it goes. */
  async say(): Promise<void> {
    if (this.#refused || this.#kept.size === 0) return
    const now = performance.now()
    const said = this.#kept
    this.#kept = new Map()
    this.#news = false
    this.#saidAt = now
    const notes = [...said.values()].map(
      ({ at, workedAt, ...kept }): ChoreNote => ({
        ...kept,
        agoMs: now - at,
        workedAgoMs: workedAt === null ? null : now - workedAt,
      }),
    )
    try {
      await this.#store.upkeep.noteChores(`${hostname()}:${process.pid}`, notes)
    } catch (error) {
      // A role that may do some of the chores need not be one that may say so.
      this.#refused = (error as { code?: string }).code === 'forbidden'
    }
  }
}
