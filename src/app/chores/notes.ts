/**
 * Records in the database how the chores of this process run, for other processes to show. Written seldom, because an idle database must stay
 * idle: once a minute, and ten seconds after a chore ran for the first time, did something or failed.
 */
import { hostname } from 'node:os'
import type { Store } from '../../store/store.js'
import type { ChoreRecord } from '../../store/upkeep.js'

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

interface ChoreTotals extends Pass {
  readonly at: number
  readonly lastChangeAt: number | null
  readonly runs: number
  readonly rowsTotal: number
  readonly failures: number
}

export class ChoreNotes {
  readonly #store: Store
  #kept = new Map<string, ChoreTotals>()
  #writtenAt = Number.NEGATIVE_INFINITY
  #news = false
  readonly #seen = new Set<string>()
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
      lastChangeAt: pass.rows > 0 ? at : (before?.lastChangeAt ?? null),
      runs: (before?.runs ?? 0) + 1,
      rowsTotal: (before?.rowsTotal ?? 0) + pass.rows,
      failures: (before?.failures ?? 0) + (pass.error === null ? 0 : 1),
    })
    // The first pass of each is news: it may not have run for long.
    this.#news ||= pass.rows > 0 || pass.error !== null || !this.#seen.has(pass.name)
    this.#seen.add(pass.name)
    if (at >= this.#writtenAt + (this.#news ? NEWS_EVERY_MS : EVERY_MS)) await this.say()
  }

  /** Writes everything collected so far. A failed write must not stop upkeep. */
  async say(): Promise<void> {
    if (this.#refused || this.#kept.size === 0) return
    const now = performance.now()
    const collected = this.#kept
    this.#kept = new Map()
    this.#news = false
    this.#writtenAt = now
    const notes = [...collected.values()].map(
      ({ at, lastChangeAt, ...kept }): ChoreRecord => ({
        ...kept,
        agoMs: now - at,
        lastChangeAgoMs: lastChangeAt === null ? null : now - lastChangeAt,
      }),
    )
    try {
      await this.#store.upkeep.recordChores(`${hostname()}:${process.pid}`, notes)
    } catch (error) {
      // A role that may run some of the chores may not be allowed to record them.
      this.#refused = (error as { code?: string }).code === 'forbidden'
    }
  }
}
