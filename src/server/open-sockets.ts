/**
 * Connections that carry no request must not keep a server from closing. Node closes those that have answered something and wait for more;
 * left are those that were opened and never used, and those whose last answer went out a moment later.
 */
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

export function closeSocketsWithServer(app: FastifyInstance): void {
  /** Requests under way, by connection. */
  const open = new Map<Socket, number>()
  let closing = false
  const endIfFree = (socket: Socket) => {
    if (closing && open.get(socket) === 0) socket.destroySoon()
  }
  app.server.on('connection', (socket: Socket) => {
    open.set(socket, 0)
    socket.once('close', () => open.delete(socket))
  })
  app.server.on('request', ({ socket }, response) => {
    open.set(socket, (open.get(socket) ?? 0) + 1)
    response.once('close', () => {
      const left = (open.get(socket) ?? 1) - 1
      if (open.has(socket)) open.set(socket, left)
      endIfFree(socket)
    })
  })
  // Not before: until the server takes no new connections, it answers that it is about to stop.
  const close = app.server.close.bind(app.server)
  app.server.close = (done) => {
    closing = true
    for (const socket of open.keys()) endIfFree(socket)
    return close(done)
  }
}
