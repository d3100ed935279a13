/** The server's connections below HTTP: errors before there is a request, and closing idle connections when the server stops. */
import { randomUUID } from 'node:crypto'
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { ErrorCode } from '../../domain/errors/errors.js'
import { holdfastError } from '../../domain/errors/errors.js'
import { PROBLEM_JSON, problemOf } from './problem.js'

const CODES: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** Not HTTP, headers too large, or too slow. Writes the response to the socket, because there is no reply object yet. */
export function answerClientErrors(error: Error & { code?: string }, socket: Socket): void {
  // The caller has disconnected, or a response is already being sent.
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy()
    return
  }
  const problem = problemOf(holdfastError(CODES[error.code ?? ''] ?? 'malformed_request'), {
    id: randomUUID(),
  })
  const body = JSON.stringify(problem)
  socket.end(
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}\r\nContent-Type: ${PROBLEM_JSON}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}

/** Connections that end after the response that was sent on them. */
const lingering = new WeakSet<Socket>()

/**
 * Ends a connection after a response that does not wait for the rest of the body. Closing at once would send a reset to a caller that is
 * still sending, and a reset discards a response that the caller has not read. The rest of the body is dropped meanwhile.
 */
export function lingerAfterResponse(request: IncomingMessage, lingerMs: number): void {
  const { socket } = request
  // A connection in memory has no resets.
  if (typeof socket.destroySoon !== 'function' || lingering.has(socket)) return
  lingering.add(socket)
  request.resume()
  socket.destroySoon = () => {
    socket.end()
    const timer = setTimeout(() => socket.destroy(), lingerMs)
    socket.once('close', () => clearTimeout(timer))
  }
}

/** A request that follows on such a connection is not carried out: its response could not be sent. */
export function dropRequestsAfterEnd(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (!lingering.has(request.raw.socket)) return done()
    reply.hijack()
    request.raw.resume()
  })
}

/**
 * Lets the server close although connections without a request are open. Node closes those that are idle after a response; left are those
 * that never carried a request, and those whose last response ended later.
 */
export function closeSocketsWithServer(app: FastifyInstance): void {
  /** Number of running requests by connection. */
  const requests = new Map<Socket, number>()
  let closing = false
  const endIfIdle = (socket: Socket) => {
    if (!closing || requests.get(socket) !== 0) return
    // A connection in memory has only the other one.
    if (typeof socket.destroySoon === 'function') socket.destroySoon()
    else (socket as Duplex).destroy()
  }
  app.server.on('connection', (socket: Socket) => {
    requests.set(socket, 0)
    socket.once('close', () => requests.delete(socket))
  })
  app.server.on('request', ({ socket }, response) => {
    requests.set(socket, (requests.get(socket) ?? 0) + 1)
    response.once('close', () => {
      const left = (requests.get(socket) ?? 1) - 1
      if (requests.has(socket)) requests.set(socket, left)
      endIfIdle(socket)
    })
  })
  // Not in a hook: until the server accepts no more connections, it answers new calls with `draining`.
  const close = app.server.close.bind(app.server)
  app.server.close = (done) => {
    closing = true
    for (const socket of requests.keys()) endIfIdle(socket)
    return close(done)
  }
}
