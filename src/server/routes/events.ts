/** Live events: a server-sent event stream, and a long poll for callers that cannot use one. */
import { allows } from '../../contract/endpoint.js'
import { eventsContract } from '../../contract/jobs/events.js'
import { holdfastError } from '../../domain/errors/errors.js'
import { LIMITS } from '../../domain/limits.js'
import { waiting } from '../access/waiting-calls.js'
import { InvalidRequest } from '../http/problem.js'
import { type Call, routes } from '../http/route.js'
import { type Cursor, parseCursor } from '../live/cursor.js'
import { KeyCheck } from '../live/key-check.js'
import { EventClient, streamOf } from '../live/stream.js'

function keyCheckOf({ who, server, request }: Pick<Call, 'who' | 'server' | 'request'>): KeyCheck {
  const again = async () => {
    const now = await server.principals.again(request)
    if (!allows(eventsContract.events, now.scopes)) throw holdfastError('scope_missing', { scope: 'read' })
    return now
  }
  return new KeyCheck(who, again, server.limits.heartbeatMs)
}

function cursorOf(id: string | undefined, where: 'query' | 'header', pointer: string): Cursor | undefined {
  const cursor = id === undefined ? undefined : parseCursor(id)
  if (id !== undefined && cursor === undefined)
    throw new InvalidRequest([{ in: where, pointer, problem: 'is not the id of an event' }])
  return cursor
}

export const eventRoutes = routes<typeof eventsContract>(eventsContract, {
  events: async (call) => {
    const { tenant, query, headers, signal, reply, server } = call
    const since =
      cursorOf(headers['last-event-id'], 'header', '/last-event-id') ??
      cursorOf(query.after, 'query', '/after')
    const { hub } = server
    const leave = server.waits.enter(tenant)
    reply.raw.once('close', leave).once('finish', leave)
    const subscription = {
      hub,
      tenant,
      since,
      signal,
      keyCheck: keyCheckOf(call),
      disconnect: () => reply.raw.destroy(),
    }
    return {
      status: 200,
      headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' },
      body: streamOf(subscription, {
        forMs: query.for_sec * 1_000,
        heartbeatMs: server.limits.heartbeatMs,
      }),
    }
  },

  nextEvents: (call) => waiting(call, () => nextEvents(call)),
})

async function nextEvents(call: Call<(typeof eventsContract)['nextEvents']>) {
  const { tenant, query, signal } = call
  const since = cursorOf(query.after, 'query', '/after')
  const { hub } = call.server
  const client = new EventClient({ hub, tenant, since, signal, disconnect: () => {} })
  const until = performance.now() + query.wait_sec * 1_000
  try {
    for (;;) {
      const taken = await client.take(LIMITS.pageMax.default, Number.POSITIVE_INFINITY)
      const current = hub.cursorOf(client.position)
      const isOver = signal.aborted || performance.now() >= until || since === undefined
      const next = taken.at(-1)?.cursor ?? current ?? since?.text
      const isSettled = client.position.state !== 'waiting' || signal.aborted
      if (next !== undefined && (taken.length > 0 || (isOver && isSettled))) {
        await call.stillAllowed()
        return {
          status: 200 as const,
          body: { events: taken.map(({ text }) => JSON.parse(text)), next_after: next },
        }
      }
      await client.wait(isSettled ? until - performance.now() : RECHECK_MS)
    }
  } finally {
    client.leave()
  }
}

/** The hub wakes this call; this is the fallback while the hub cannot read the feed. */
const RECHECK_MS = 5_000
