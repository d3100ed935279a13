/**
 * One client of the hub. Its events stay in the ring until its connection accepts them, so a slow client holds one chunk of a few events
 * and not a growing buffer.
 */
import type { Cursor } from './cursor.js'
import type { Hub } from './hub.js'
import type { KeyCheck } from './key-check.js'
import type { LiveEvent } from './ring.js'
import type { Subscriber, SubscriberPosition } from './subscriber.js'

const CHUNK_CHARS = 64 * 1024
/** When a client reconnects after its stream has ended. */
const RETRY_MS = 2_000

export interface Subscription {
  readonly hub: Hub
  readonly tenant: string
  readonly since: Cursor | undefined
  readonly signal: AbortSignal
  readonly keyCheck?: KeyCheck
  /** Closes the connection at once. */
  disconnect(): void
}

export class EventClient implements Subscriber {
  readonly tenant: string
  readonly since: Cursor | undefined
  readonly disconnect: () => void
  readonly keyCheck: KeyCheck | undefined
  readonly position: SubscriberPosition
  readonly #hub: Hub
  readonly #signal: AbortSignal
  #rest: LiveEvent[] = []
  #isWoken = false
  #resolve = () => {}

  constructor({ hub, tenant, since, signal, disconnect, keyCheck }: Subscription) {
    this.tenant = tenant
    this.since = since
    this.disconnect = disconnect
    this.keyCheck = keyCheck
    this.#hub = hub
    this.#signal = signal
    this.position = hub.join(this)
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

  /** The next events, up to a number and a size; empty if there are none now. */
  async take(countMax: number, charsMax = CHUNK_CHARS): Promise<LiveEvent[]> {
    const taken: LiveEvent[] = []
    for (let chars = 0; taken.length < countMax && chars < charsMax; ) {
      const event = this.#rest.shift() ?? this.#hub.take(this, this.position)
      if (event !== undefined) {
        taken.push(event)
        chars += event.text.length
      } else if (this.position.state === 'behind' && taken.length === 0)
        this.#rest = await this.#hub.older(this, this.position)
      else break
      if (this.position.state === 'behind' && this.#rest.length === 0 && this.#signal.aborted) break
    }
    return taken
  }

  /** Resolves when there may be a new event, or after this long; at once if it was woken since the last wait. */
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

/** The stream as chunks of text. It ends when its time is over, its key is no longer valid, the server stops, or the client is too slow. */
export async function* streamOf(
  subscription: Subscription,
  { forMs, heartbeatMs }: { readonly forMs: number; readonly heartbeatMs: number },
): AsyncGenerator<string, void, undefined> {
  const { hub, signal } = subscription
  const client = new EventClient(subscription)
  const { position } = client
  const until = performance.now() + forMs
  let sentAt = performance.now()
  try {
    yield `retry: ${RETRY_MS}\n: holdfast\n\n`
    for (let sentCursor: string | undefined; ; ) {
      if (client.keyCheck !== undefined && !(await client.keyCheck.isValid())) return yield endEvent('key')
      const taken = await client.take(500)
      // The key may have changed while events were read.
      if (client.keyCheck !== undefined && !(await client.keyCheck.isValid())) return yield endEvent('key')
      const counts = taken.length > 0 ? undefined : hub.countsFor(client, position)
      const now = performance.now()
      if (taken.length > 0) yield taken.map(eventText).join('')
      else if (counts !== undefined) yield `event: counts\ndata: ${counts}\n\n`
      else if (position.state === 'lost') return yield endEvent('slow')
      else if (signal.aborted) return yield endEvent('stopping')
      else if (now >= until) return yield endEvent('time')
      else {
        const cursor = hub.cursorOf(position)
        if (cursor !== undefined && (sentCursor === undefined || now - sentAt >= heartbeatMs)) {
          // An id without data updates where the client resumes, and is not an event.
          yield `: here\nid: ${cursor}\n\n`
          sentCursor = cursor
        } else if (now - sentAt >= heartbeatMs) yield ': here\n\n'
        else {
          await client.wait(Math.min(until, sentAt + heartbeatMs) - now)
          continue
        }
      }
      sentAt = now
    }
  } finally {
    client.leave()
  }
}

function eventText({ cursor, text, isJob }: LiveEvent): string {
  return `id: ${cursor}\nevent: ${isJob ? 'job' : 'note'}\ndata: ${text}\n\n`
}

const HINTS = {
  slow: 'The client read too slowly. Reconnect with the last id you received.',
  stopping: 'The server is stopping. Reconnect with the last id you received.',
  key: 'The key of this stream is no longer valid. Reconnect with another key and the last id you received.',
  time: 'The stream has reached its time limit. Reconnect with the last id you received.',
}

function endEvent(reason: keyof typeof HINTS): string {
  return `event: end\ndata: ${JSON.stringify({ reason, hint: HINTS[reason], retry_ms: RETRY_MS })}\n\n`
}
