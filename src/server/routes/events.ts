import { allows } from '../../contract/endpoint.js'
import { eventsContract } from '../../contract/events.js'
import { holdfastError } from '../../domain/errors.js'
import { LIMITS } from '../../domain/limits.js'
import { type Cursor, parseCursor } from '../live/cursor.js'
import { Hub } from '../live/hub.js'
import { Pass } from '../live/pass.js'
import { Client, streamOf } from '../live/stream.js'
import { InvalidRequest } from '../problem.js'
import { type Call, routes, type ServerFacts } from '../route.js'
import { waiting } from '../waits.js'

/** One for each server. */
const hubs = new WeakMap<ServerFacts, Hub>()

function hubOf(server: ServerFacts): Hub {
  let hub = hubs.get(server)
  if (hub === undefined) {
    hub = new Hub(server.store, {}, server.log)
    hubs.set(server, hub)
    server.stopping.addEventListener('abort', () => hub?.stop(), { once: true })
  }
  return hub
}

function passOf({ who, server, request }: Pick<Call, 'who' | 'server' | 'request'>): Pass {
  return new Pass(who, async () => {
    const now = await server.principals.again(request)
    if (!allows(eventsContract.events, now.scopes)) throw holdfastError('scope_missing', { scope: 'read' })
    return now
  })
}

function cursorOf(said: string | undefined, where: 'query' | 'header', pointer: string): Cursor | undefined {
  const cursor = said === undefined ? undefined : parseCursor(said)
  if (said !== undefined && cursor === undefined)
    throw new InvalidRequest([{ in: where, pointer, problem: 'is not the id of an event' }])
  return cursor
}

export const eventRoutes = routes<typeof eventsContract>(eventsContract, {
  events: async (call) => {
    const { tenant, query, headers, signal, reply, server } = call
    const since =
      cursorOf(headers['last-event-id'], 'header', '/last-event-id') ??
      cursorOf(query.after, 'query', '/after')
    const hub = hubOf(server)
    const leave = server.waits.enter(tenant)
    reply.raw.once('close', leave).once('finish', leave)
    const following = { hub, tenant, since, signal, pass: passOf(call), cut: () => reply.raw.destroy() }
    return {
      status: 200,
      headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' },
      body: streamOf(following, {
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
  const hub = hubOf(call.server)
  const client = new Client({ hub, tenant, since, signal, cut: () => {} })
  const until = performance.now() + query.wait_sec * 1_000
  try {
    for (;;) {
      const taken = await client.take(LIMITS.pageMax.default, Number.POSITIVE_INFINITY)
      const position = hub.positionOf(client.seat)
      const isOver = signal.aborted || performance.now() >= until || since === undefined
      const next = taken.at(-1)?.cursor ?? position ?? since?.text
      const isSettled = client.seat.state !== 'waiting' || signal.aborted
      if (next !== undefined && (taken.length > 0 || (isOver && isSettled))) {
        await call.stillAllowed()
        return {
          status: 200 as const,
          body: { events: taken.map(({ text }) => JSON.parse(text)), next_after: next },
        }
      }
      await client.wait(isSettled ? until - performance.now() : LOOK_MS)
    }
  } finally {
    client.leave()
  }
}

/** The hub wakes whoever waits for it; this is for the case that it cannot. */
const LOOK_MS = 5_000
