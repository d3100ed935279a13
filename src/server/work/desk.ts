/** What a server remembers for its workers: whose their leases are, what their claims have learned, and who waits for what. */
import { HintedClaims } from '../../store/full-pass.js'
import { Turns } from '../../store/turns.js'
import type { Call, ServerFacts } from '../route.js'
import { Line } from './line.js'
import { OwnLeases } from './own-leases.js'
import { Scout } from './scout.js'

type Asking = Pick<Call, 'store' | 'tenant'>

/** Of one worker, by its lease: claims under another lease must not hand out what a pass has found under this one. */
interface Memory {
  readonly hints: HintedClaims
  readonly turns: Turns
}

const MEMORIES_MAX = 10_000

export class Desk {
  readonly leases = new OwnLeases()
  readonly #memories = new Map<string, Memory>()
  readonly #lines = new Map<string, Line>()
  readonly #scouts = new Map<string, Scout>()

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
  line({ store, tenant }: Asking, queues: readonly string[]): Line {
    const sorted = [...new Set(queues)].sort()
    const name = `${tenant} ${sorted.join(' ')}`
    let line = this.#lines.get(name)
    if (line === undefined) {
      const scout = this.#scout({ store, tenant })
      line = new Line({
        wakeups: store.wakeups(tenant),
        queues: sorted,
        isWork: async () => (await store.work.depth({ queues: sorted, tenant, most: 1 })) > 0,
        awaited: (one, isAwaited) => (isAwaited ? scout.join(one) : scout.leave(one)),
        deserted: () => this.#lines.delete(name),
      })
      this.#lines.set(name, line)
    }
    return line
  }

  /** One for each tenant, for as long as this server lives. */
  #scout({ store, tenant }: Asking): Scout {
    const scout =
      this.#scouts.get(tenant) ??
      new Scout({
        ask: (queues) => store.work.queuesWithWork({ queues, tenant }),
        isTold: () => store.wakeups(tenant).active,
      })
    this.#scouts.set(tenant, scout)
    return scout
  }
}

const desks = new WeakMap<ServerFacts, Desk>()

export function deskOf(server: ServerFacts): Desk {
  let desk = desks.get(server)
  if (desk === undefined) {
    desk = new Desk()
    desks.set(server, desk)
  }
  return desk
}
