/** What a server remembers for its workers: whose their leases are, what their claims have learned, and who waits for what. */
import { HintedClaims } from '../../store/full-pass.js'
import type { Store } from '../../store/store.js'
import { Turns } from '../../store/turns.js'
import type { ServerFacts } from '../route.js'
import { Line } from './line.js'
import { OwnLeases } from './own-leases.js'

/** Of one worker, by its lease: claims under another lease must not hand out what a pass has found under this one. */
interface Memory {
  readonly hints: HintedClaims
  readonly turns: Turns
}

const MEMORIES_MAX = 10_000

export class Desk {
  readonly leases: OwnLeases
  readonly #store: Store
  readonly #memories = new Map<string, Memory>()
  readonly #lines = new Map<string, Line>()

  constructor(store: Store) {
    this.#store = store
    this.leases = new OwnLeases(store)
  }

  /** What the claimer of this lease remembers of these queues. */
  memory(lease: number, queues: readonly string[]): Memory {
    const name = `${lease} ${queues.join(' ')}`
    const memory = this.#memories.get(name) ?? { hints: new HintedClaims(), turns: new Turns() }
    // The one used longest ago goes first.
    this.#memories.delete(name)
    this.#memories.set(name, memory)
    const [oldest] = this.#memories.keys()
    if (this.#memories.size > MEMORIES_MAX && oldest !== undefined) this.#memories.delete(oldest)
    return memory
  }

  /** Where those wait who want jobs of the same queues. */
  line(tenant: string, queues: readonly string[]): Line {
    const sorted = [...new Set(queues)].sort()
    const name = `${tenant} ${sorted.join(' ')}`
    let line = this.#lines.get(name)
    if (line === undefined) {
      line = new Line({
        wakeups: this.#store.wakeups(tenant),
        queues: sorted,
        isWork: async () => (await this.#store.work.depth({ queues: sorted, tenant, most: 1 })) > 0,
        deserted: () => this.#lines.delete(name),
      })
      this.#lines.set(name, line)
    }
    return line
  }
}

const desks = new WeakMap<ServerFacts, Desk>()

export function deskOf(server: ServerFacts): Desk {
  let desk = desks.get(server)
  if (desk === undefined) {
    desk = new Desk(server.store)
    desks.set(server, desk)
  }
  return desk
}
