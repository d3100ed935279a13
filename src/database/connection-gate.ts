/**
 * Decides which call gets a connection next. Calls have a rank: calls that keep a worker's lease or finish its jobs are `first` and have
 * reserved connections; large calls are `last` and get at most half of the others. Within a rank tenants take turns, so that a tenant
 * with a hundred waiting calls delays another tenant's call by one.
 *
 * Connections are reserved from the first call of rank `first` on: a process without such calls uses all of them for everything.
 */
import { holdfastError } from '../domain/errors/errors.js'

export type CallRank = 'first' | 'usual' | 'last'

export interface GateEntry {
  readonly rank?: CallRank | undefined
  /** Tenants take turns. */
  readonly tenant?: string | undefined
}

const RANKS: readonly CallRank[] = ['first', 'usual', 'last']
/** One connection of this many is reserved for calls of rank `first`. */
const ONE_KEPT_OF = 4

interface WaitingCall {
  readonly tenant: string
  enter(): void
}

export class ConnectionGate {
  readonly #places: number
  #kept = 0
  readonly #inside: Record<CallRank, number> = { first: 0, usual: 0, last: 0 }
  readonly #lines: Record<CallRank, WaitingCall[]> = { first: [], usual: [], last: [] }

  constructor(places: number) {
    this.#places = places
  }

  get waiting(): number {
    return RANKS.reduce((sum, rank) => sum + this.#lines[rank].length, 0)
  }

  /** Resolves when a connection is free, with the function that releases it; refused after `withinMs`. */
  enter({ rank = 'usual', tenant = '' }: GateEntry, withinMs: number): Promise<() => void> | (() => void) {
    if (rank === 'first') this.#kept = Math.floor(this.#places / ONE_KEPT_OF)
    const leave = () => this.#leave(rank)
    if (this.#lines[rank].length === 0 && this.#hasPlace(rank)) {
      this.#inside[rank] += 1
      return leave
    }
    return this.#wait(rank, tenant, withinMs).then(() => leave)
  }

  #hasPlace(rank: CallRank): boolean {
    const { first, usual, last } = this.#inside
    const others = Math.max(1, this.#places - this.#kept)
    if (first + usual + last >= this.#places) return false
    if (rank === 'first') return true
    if (usual + last >= others) return false
    return rank === 'usual' || last < Math.max(1, Math.floor(others / 2))
  }

  #wait(rank: CallRank, tenant: string, withinMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: WaitingCall = {
        tenant,
        enter: () => {
          clearTimeout(timer)
          resolve()
        },
      }
      const timer = setTimeout(() => {
        this.#lines[rank] = this.#lines[rank].filter((call) => call !== waiting)
        reject(holdfastError('deadline_exceeded', { ms: Math.round(withinMs) }))
      }, withinMs)
      this.#lines[rank] = inTurn(this.#lines[rank], waiting)
    })
  }

  #leave(rank: CallRank): void {
    this.#inside[rank] -= 1
    for (const each of RANKS)
      while (this.#lines[each].length > 0 && this.#hasPlace(each)) {
        this.#inside[each] += 1
        this.#lines[each].shift()?.enter()
      }
  }
}

/** Inserts a call so that tenants alternate: before the first call of a tenant that already has more calls ahead. */
function inTurn(line: readonly WaitingCall[], waiting: WaitingCall): WaitingCall[] {
  const before = line.filter(({ tenant }) => tenant === waiting.tenant).length
  const seen = new Map<string, number>()
  const position = line.findIndex(({ tenant }) => {
    const count = (seen.get(tenant) ?? 0) + 1
    seen.set(tenant, count)
    return count > before + 1
  })
  return position === -1 ? [...line, waiting] : [...line.slice(0, position), waiting, ...line.slice(position)]
}
