/**
 * Serves the metrics of a process without an HTTP API: GET /metrics and nothing else. On loopback every user of this machine may read them,
 * but no page of another site in a browser: the host name of the request must be that of this machine. On any other address a token is
 * required.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface MetricsSource {
  readonly contentType: string
  text(): Promise<string>
}

export interface MetricsAddress {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** The token that callers must send as `Authorization: Bearer …`. */
  readonly token?: string | undefined
  /** Whether only this machine can reach it. */
  readonly loopback: boolean
}

export interface ListeningMetrics {
  readonly url: string
  close(): Promise<void>
}

/** The time limit of a request, which is a line and a few headers. */
const REQUEST_MS = 10_000
const OWN_NAMES = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i

export async function listenMetrics(
  source: MetricsSource,
  address: MetricsAddress,
): Promise<ListeningMetrics> {
  if (!address.loopback && address.token === undefined)
    throw new Error('metrics that others can reach need a token')
  const server = createServer(
    { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS },
    (request, response) => {
      void answer(source, address, request, response)
    },
  )
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(address.port, address.host, resolve)
  })
  // The metrics endpoint must not keep the process alive.
  server.unref()
  const { port } = server.address() as AddressInfo
  const host = address.host.includes(':') ? `[${address.host}]` : address.host
  return { url: `http://${host}:${port}/metrics`, close: () => closed(server) }
}

async function answer(
  source: MetricsSource,
  address: MetricsAddress,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const refuse = (status: number, why: string) => {
    response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
    response.end(`${why}\n`)
  }
  if (address.token === undefined && !OWN_NAMES.test(request.headers.host ?? ''))
    return refuse(
      421,
      'Ask for it as localhost or 127.0.0.1: without a token this is for this machine alone.',
    )
  if (address.token !== undefined && !holds(address.token, request.headers.authorization))
    return refuse(401, 'Bring the token of these metrics as "Authorization: Bearer <token>".')
  if (request.url?.split('?', 1)[0] !== '/metrics')
    return refuse(404, 'There is /metrics here, and nothing else.')
  if (request.method !== 'GET') return refuse(405, 'Only GET is answered here.')
  try {
    const text = await source.text()
    response.writeHead(200, { 'content-type': source.contentType, 'cache-control': 'no-store' })
    response.end(text)
  } catch {
    refuse(500, 'The metrics could not be collected.')
  }
}

function holds(token: string, header: string | undefined): boolean {
  const [, brought = ''] = /^Bearer +(\S{1,200})$/i.exec(header ?? '') ?? []
  return timingSafeEqual(sha256(token), sha256(brought))
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
