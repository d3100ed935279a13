/**
 * One client of the hub. What it is sent waits in the ring until its connection takes it, so a client that reads slowly holds one piece of at
 * most a few events, and not a buffer that grows.
 */
import type { Cursor } from './cursor.js'
import type { Hub } from './hub.js'
import type { Pass } from './pass.js'
import type { Entry } from './ring.js'
import type { Follower, Seat } from './seat.js'

const PIECE_CHARS = 64 * 1024
/** How soon a client comes back after its stream has ended. */
const RETRY_MS = 2_000

export interface Following {
  readonly hub: Hub
  readonly tenant: string
  readonly since: Cursor | undefined
  readonly signal: AbortSignal
  readonly pass?: Pass
  /** Closes the connection at once. */
  cut(): void
}

export class Client implements Follower {
  readonly tenant: string
  readonly since: Cursor | undefined
  readonly cut: () => void
  readonly pass: Pass | undefined
  readonly seat: Seat
  readonly #hub: Hub
  readonly #signal: AbortSignal
  #rest: Entry[] = []
  #isWoken = false
  #resolve = () => {}

  constructor({ hub, tenant, since, signal, cut, pass }: Following) {
    this.tenant = tenant
    this.since = since
    this.cut = cut
    this.pass = pass
    this.#hub = hub
    this.#signal = signal
    this.seat = hub.join(this)
    signal.addEventListener('abort', this.wake, { once: true })
  }

  readonly wake = (): void => {
    this.#isWoken = true
    this.#resolve()
  }

  leave(): void {
    this.#signal.removeEventListener('abort', this.wake)
    this.#hub.leave(this)
  }

  /** Up to a number of events and characters; empty when there are none now. */
  async take(most: number, charsMax = PIECE_CHARS): Promise<Entry[]> {
    const taken: Entry[] = []
    for (let chars = 0; taken.length < most && chars < charsMax; ) {
      const entry = this.#rest.shift() ?? this.#hub.take(this, this.seat)
      if (entry !== undefined) {
        taken.push(entry)
        chars += entry.text.length
      } else if (this.seat.state === 'behind' && taken.length === 0)
        this.#rest = await this.#hub.older(this, this.seat)
      else break
      if (this.seat.state === 'behind' && this.#rest.length === 0 && this.#signal.aborted) break
    }
    return taken
  }

  /** Until there may be something new, at most so long; not at all where something has come since the last time. */
  async wait(ms: number): Promise<void> {
    if (!this.#isWoken && !this.#signal.aborted && ms > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        this.#resolve = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    this.#isWoken = false
  }
}

/** The stream as pieces of text. It ends when its time is over, when its key is, when the server stops, or when the client was too slow. */
export async function* streamOf(
  following: Following,
  { forMs, heartbeatMs }: { readonly forMs: number; readonly heartbeatMs: number },
): AsyncGenerator<string, void, undefined> {
  const { hub, signal } = following
  const client = new Client(following)
  const { seat } = client
  const until = performance.now() + forMs
  let saidAt = performance.now()
  try {
    yield `retry: ${RETRY_MS}\n: holdfast\n\n`
    for (let position: string | undefined; ; ) {
      if (client.pass !== undefined && !(await client.pass.isGood())) return yield farewell('key')
      const taken = await client.take(500)
      // Something may have happened to the key while we took.
      if (client.pass !== undefined && !(await client.pass.isGood())) return yield farewell('key')
      const counts = taken.length > 0 ? undefined : hub.countsFor(client, seat)
      const now = performance.now()
      if (taken.length > 0) yield taken.map(eventText).join('')
      else if (counts !== undefined) yield `event: counts\ndata: ${counts}\n\n`
      else if (seat.state === 'lost') return yield farewell('slow')
      else if (signal.aborted) return yield farewell('stopping')
      else if (now >= until) return yield farewell('time')
      else {
        const here = hub.positionOf(seat)
        if (here !== undefined && (position === undefined || now - saidAt >= heartbeatMs)) {
          // An id without data moves on where the client would resume, and is no event.
          yield `: here\nid: ${here}\n\n`
          position = here
        } else if (now - saidAt >= heartbeatMs) yield ': here\n\n'
        else {
          await client.wait(Math.min(until, saidAt + heartbeatMs) - now)
          continue
        }
      }
      saidAt = now
    }
  } finally {
    client.leave()
  }
}

function eventText({ cursor, text, isJob }: Entry): string {
  return `id: ${cursor}\nevent: ${isJob ? 'job' : 'note'}\ndata: ${text}\n\n`
}

const HINTS = {
  slow: 'You were too slow for what happens here. Come back with the last id you had.',
  stopping: 'This server stops. Come back with the last id you had.',
  key: 'The key of this stream is no longer good. Come back with another and the last id you had.',
  time: 'This stream has had its time. Come back with the last id you had.',
}

function farewell(reason: keyof typeof HINTS): string {
  return `event: end\ndata: ${JSON.stringify({ reason, hint: HINTS[reason], retry_ms: RETRY_MS })}\n\n`
}
