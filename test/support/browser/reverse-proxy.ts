/** A small reverse proxy, as operators have one in front of the dashboard: it serves one prefix, and its connections can be cut. */
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export class ReverseProxy {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #isCut = false

  private constructor(upstream: string, prefix: string) {
    const { hostname, port } = new URL(upstream)
    this.#server = createServer((incoming, outgoing) => {
      if (!incoming.url?.startsWith(prefix)) return void outgoing.writeHead(404).end()
      const path = incoming.url.slice(prefix.length - 1)
      const { method, headers } = incoming
      const passed = request({ hostname, port, method, path, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      })
      passed.on('error', () => outgoing.destroy())
      outgoing.on('close', () => passed.destroy())
      incoming.pipe(passed)
    })
    this.#server.on('connection', (socket) => {
      if (this.#isCut) return void socket.destroy()
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
    })
  }

  /** In front of a server, at `prefix`, which begins and ends with a slash. */
  static async open(upstream: string, prefix = '/'): Promise<ReverseProxy> {
    const proxy = new ReverseProxy(upstream, prefix)
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      proxy.cut()
      proxy.#server.close()
    })
    return proxy
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Ends every connection and refuses new ones. */
  cut(): void {
    this.#isCut = true
    for (const socket of this.#sockets) socket.destroy()
  }

  restore(): void {
    this.#isCut = false
  }
}
