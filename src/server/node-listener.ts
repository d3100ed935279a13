/** A handler from `Request` to `Response` as a listener of Node's HTTP server, for Express, Fastify and others that are built on it. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

export type NodeListener = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** What Express adds: the address before a router has cut it, and the body that a parser has read. */
interface Extended extends IncomingMessage {
  readonly originalUrl?: string
  readonly body?: unknown
}

export function nodeListener(handle: (request: Request) => Promise<Response>): NodeListener {
  return async (incoming, outgoing) => {
    const disconnected = new AbortController()
    outgoing.once('close', () => disconnected.abort())
    const response = await handle(requestOf(incoming, disconnected.signal))
    for (const [name, value] of response.headers) if (name !== 'set-cookie') outgoing.setHeader(name, value)
    const cookies = response.headers.getSetCookie()
    if (cookies.length > 0) outgoing.setHeader('set-cookie', cookies)
    outgoing.writeHead(response.status)
    if (response.body === null) outgoing.end()
    // A caller that disconnects ends the stream, which is no failure.
    else await pipeline(Readable.fromWeb(response.body as never), outgoing).catch(() => outgoing.destroy())
  }
}

function requestOf(incoming: Extended, signal: AbortSignal): Request {
  const { method = 'GET', headers, originalUrl, url = '/' } = incoming
  const protocol = 'encrypted' in incoming.socket ? 'https' : 'http'
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    name.startsWith(':') || value === undefined ? [] : [[name, String(value)] as [string, string]],
  )
  return new Request(`${protocol}://${headers.host ?? 'localhost'}${originalUrl ?? url}`, {
    method,
    headers: pairs,
    signal,
    ...bodyOf(incoming, method),
  })
}

function bodyOf(incoming: Extended, method: string): RequestInit {
  if (method === 'GET' || method === 'HEAD') return {}
  if (!incoming.readableEnded)
    return { body: Readable.toWeb(incoming) as never, duplex: 'half' } as RequestInit
  const { body } = incoming
  return body === undefined || typeof body === 'string' || body instanceof Uint8Array
    ? { body: (body as string | undefined) ?? null }
    : { body: JSON.stringify(body) }
}
