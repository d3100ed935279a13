/** What does not even become a request: not HTTP, headers too large, too slow. Written by hand, because there is no reply object yet. */
import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { ErrorCode } from '../domain/errors.js'
import { holdfastError } from '../domain/errors.js'
import { PROBLEM_JSON, problemOf } from './problem.js'

const CODES: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

export function answerClientErrors(error: Error & { code?: string }, socket: Socket): void {
  // The other side is gone, or half an answer is on its way already.
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
