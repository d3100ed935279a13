/**
 * What happened lately, kept once for all who follow. It is complete from `floor` on: whoever stands there or later finds everything they have
 * missed in here. Bounded by number and size, and the last page on top; what is dropped lifts the floor.
 */
import { type Cursor, isCovered, type Place, parseCursor } from './cursor.js'

export interface Entry extends Place {
  /** null: of every tenant. */
  readonly tenant: string | null
  /** Go on after this one. */
  readonly cursor: string
  /** As JSON. */
  readonly text: string
  readonly isJob: boolean
}

export interface RingBounds {
  readonly entriesMax: number
  readonly charsMax: number
}

export class Ring {
  readonly #bounds: RingBounds
  /** By number; those of the first ones may be negative, because older ones can be put before them. */
  readonly #entries = new Map<number, Entry>()
  #chars = 0
  start = 0
  end = 0
  floor: Cursor

  constructor(floor: Cursor, bounds: RingBounds) {
    this.floor = floor
    this.#bounds = bounds
  }

  get(number: number): Entry | undefined {
    return this.#entries.get(number)
  }

  covers(cursor: Cursor): boolean {
    return isCovered(cursor, this.floor)
  }

  add(entry: Entry): void {
    this.#entries.set(this.end++, entry)
    this.#chars += entry.text.length
  }

  /** Before something is added and not after, so that everybody has had a chance to take the last of it. */
  trim(): void {
    const { entriesMax, charsMax } = this.#bounds
    while (this.end - this.start > entriesMax || this.#chars > charsMax) this.#drop()
  }

  /** Older ones, which the ring does not have; false: there is no room for them. */
  prepend(older: readonly Entry[], floor: Cursor): boolean {
    const chars = older.reduce((sum, { text }) => sum + text.length, 0)
    const { entriesMax, charsMax } = this.#bounds
    if (this.end - this.start + older.length > entriesMax || this.#chars + chars > charsMax) return false
    this.start -= older.length
    for (const [n, entry] of older.entries()) this.#entries.set(this.start + n, entry)
    this.#chars += chars
    this.floor = floor
    return true
  }

  places(): Set<string> {
    return new Set([...this.#entries.values()].map(({ xid, id }) => `${xid} ${id}`))
  }

  #drop(): void {
    const entry = this.#entries.get(this.start) as Entry
    this.#entries.delete(this.start++)
    this.#chars -= entry.text.length
    this.floor = parseCursor(entry.cursor) as Cursor
  }
}
