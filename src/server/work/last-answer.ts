/**
 * An answer that ends a wait because the server stops is the last of its connection: kept alive, it would keep the server from closing
 * until it times out.
 */
import type { Call } from '../route.js'

export function closeIfLast({ server, reply }: Pick<Call, 'server' | 'reply'>): void {
  if (server.stopping.aborted) reply.header('connection', 'close')
}
