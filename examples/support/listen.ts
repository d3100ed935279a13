/** HTTP servers of an example: a clear message where a port is taken. */
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

const HOST = '127.0.0.1'

/** What `buildServer` of holdfast/server returns, and Fastify in general. */
interface Listening {
  listen(options: { port: number; host: string }): Promise<string>
}

/** Returns its address. */
export async function listen(server: Listening, port: number): Promise<string> {
  return refused(port, () => server.listen({ port, host: HOST }))
}

/** The same for a server of node:http. */
export async function listenPlain(server: Server, port: number): Promise<string> {
  return refused(port, async () => {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(port, HOST, resolve)
    })
    return `http://${HOST}:${(server.address() as AddressInfo).port}`
  })
}

export async function closePlain(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
}

/** The ports of an example follow each other; 0 stays any free one. */
export const portAfter = (port: number, steps = 1): number => (port === 0 ? 0 : port + steps)

async function refused(port: number, work: () => Promise<string>): Promise<string> {
  try {
    return await work()
  } catch (error) {
    if ((error as { code?: string }).code !== 'EADDRINUSE') throw error
    throw new Error(`port ${port} is in use; choose another one with --port`)
  }
}
