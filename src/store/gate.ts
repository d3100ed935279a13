/**
 * Who gets a connection next. Calls have a rank: what keeps a worker's lease or hands in its work goes first and finds connections that are
 * kept for it; what is large goes last and never has more than half of the others. Within a rank tenants take turns, so that
 * one with a hundred calls in line delays another's by one.
 *
 * Connections are kept from the first call that goes first on: a process that makes no such calls has all of them for everything.
 */
import { holdfastError } from '../domain/errors.js'

export type Rank = 'first' | 'usual' | 'last'

export interface Entry {
  readonly rank?: Rank | undefined
  /** Whose turn it takes. */
  readonly tenant?: string | undefined
}

const RANKS: readonly Rank[] = ['first', 'usual', 'last']
/** Of so many connections one is kept for calls that go first. */
const ONE_KEPT_OF = 4

interface Waiting {
  readonly tenant: string
  enter(): void
}

export class Gate {
  readonly #places: number
  #kept = 0
  readonly #inside: Record<Rank, number> = { first: 0, usual: 0, last: 0 }
  readonly #lines: Record<Rank, Waiting[]> = { first: [], usual: [], last: [] }

  constructor(places: number) {
    this.#places = places
  }

  get waiting(): number {
    return RANKS.reduce((sum, rank) => sum + this.#lines[rank].length, 0)
  }

  /** Resolves when there is a place, with how to leave it; refused when that takes too long. */
  enter({ rank = 'usual', tenant = '' }: Entry, withinMs: number): Promise<() => void> | (() => void) {
    if (rank === 'first') this.#kept = Math.floor(this.#places / ONE_KEPT_OF)
    const leave = () => this.#leave(rank)
    if (this.#lines[rank].length === 0 && this.#hasPlace(rank)) {
      this.#inside[rank] += 1
      return leave
    }
    return this.#wait(rank, tenant, withinMs).then(() => leave)
  }

  #hasPlace(rank: Rank): boolean {
    const { first, usual, last } = this.#inside
    const others = Math.max(1, this.#places - this.#kept)
    if (first + usual + last >= this.#places) return false
    if (rank === 'first') return true
    if (usual + last >= others) return false
    return rank === 'usual' || last < Math.max(1, Math.floor(others / 2))
  }

  #wait(rank: Rank, tenant: string, withinMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        tenant,
        enter: () => {
          clearTimeout(timer)
          resolve()
        },
      }
      const timer = setTimeout(() => {
        this.#lines[rank] = this.#lines[rank].filter((one) => one !== waiting)
        reject(holdfastError('deadline_exceeded', { ms: Math.round(withinMs) }))
      }, withinMs)
      this.#lines[rank] = inTurn(this.#lines[rank], waiting)
    })
  }

  #leave(rank: Rank): void {
    this.#inside[rank] -= 1
    for (const each of RANKS)
      while (this.#lines[each].length > 0 && this.#hasPlace(each)) {
        this.#inside[each] += 1
        this.#lines[each].shift()?.enter()
      }
  }
}

/** With this one behind the first of each other tenant that has fewer before it. */
function inTurn(line: readonly Waiting[], waiting: Waiting): Waiting[] {
  const before = line.filter(({ tenant }) => tenant === waiting.tenant).length
  const seen = new Map<string, number>()
  const at = line.findIndex(({ tenant }) => {
    const count = (seen.get(tenant) ?? 0) + 1
    seen.set(tenant, count)
    return count > before + 1
  })
  return at === -1 ? [...line, waiting] : [...line.slice(0, at), waiting, ...line.slice(at)]
}
