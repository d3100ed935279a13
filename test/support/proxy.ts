/**
 * A wire to Postgres that can be damaged on purpose: cut just after the server has done what it was asked and before the client
 * hears of it, made to swallow everything, or closed to new connections.
 */
import { createServer, connect as dial, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { postgresUrl } from './world.js'

export interface Wire {
  readonly url: string
  /** How many replies were lost so far. */
  readonly lost: number
  /** How many connections were made so far. */
  readonly dialed: number
  /** The next request that contains these words is carried out, its reply is dropped, and its connection cut. */
  loseReplyTo(words: string): void
  /** The server ends the next connection in the same breath in which it greets it. */
  endRightAfterGreeting(): void
  /** From now on nothing passes, in either direction, and nobody is told. New connections hang as well. */
  blackHole(): void
  /** The connections there are hang from now on, and nobody is told; new ones work. */
  halfOpen(): void
  /** New connections are refused and the present ones cut, as when the server is down. */
  refuse(): Promise<void>
  /** All is well again; connections from before stay as they are. */
  mend(): Promise<void>
}

/** The server ends every reply with ReadyForQuery, when the transaction is over: 'Z', length 5, one status byte. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5])

/** What a server says when it ends a session: an ErrorResponse, which is 'E', its length, and fields that end in zero. */
const FAREWELL = errorResponse({ S: 'FATAL', V: 'FATAL', C: '57P01', M: 'terminating connection' })

function errorResponse(fields: Record<string, string>): Buffer {
  const body = Object.entries(fields).map(([name, text]) => `${name}${text}\0`)
  const bytes = Buffer.from(`E....${body.join('')}\0`)
  bytes.writeInt32BE(bytes.length - 1, 1)
  return bytes
}

class DamagedWire implements Wire {
  lost = 0
  dialed = 0
  #victim: string | undefined
  #farewell = false
  #swallowing = false
  #server: Server | undefined
  #port = 0
  readonly #sockets = new Set<Socket>()
  #age = 0
  readonly #upstream = new URL(postgresUrl())

  get url(): string {
    const url = new URL(this.#upstream)
    url.hostname = '127.0.0.1'
    url.port = String(this.#port)
    return url.href
  }

  loseReplyTo(words: string): void {
    this.#victim = words
  }

  endRightAfterGreeting(): void {
    this.#farewell = true
  }

  blackHole(): void {
    this.#swallowing = true
  }

  halfOpen(): void {
    this.#age += 1
  }

  async refuse(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)))
  }

  async mend(): Promise<void> {
    this.#swallowing = false
    if (this.#server !== undefined) return
    const server = createServer((client) => this.#join(client))
    this.#server = server
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(this.#port, '127.0.0.1', resolve)
    })
    this.#port = (server.address() as { port: number }).port
  }

  #join(client: Socket): void {
    this.dialed += 1
    const upstream = dial(Number(this.#upstream.port), this.#upstream.hostname)
    let condemned = false
    const age = this.#age
    const isSwallowed = () => this.#swallowing || age !== this.#age
    const cut = () => {
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      this.#sockets.add(socket)
      socket.on('error', cut)
      socket.on('close', () => {
        this.#sockets.delete(socket)
        cut()
      })
    }
    client.on('data', (bytes) => {
      if (isSwallowed()) return
      if (this.#victim !== undefined && bytes.includes(this.#victim)) {
        this.#victim = undefined
        condemned = true
      }
      upstream.write(bytes)
    })
    upstream.on('data', (bytes) => {
      if (isSwallowed()) return
      const ready = bytes.subarray(-6, -1).equals(READY)
      if (condemned && ready) {
        this.lost += 1
        cut()
      } else if (this.#farewell && ready) {
        this.#farewell = false
        client.end(Buffer.concat([bytes, FAREWELL]))
      } else if (!condemned) client.write(bytes)
    })
  }
}

export async function openProxy(): Promise<Wire> {
  const wire = new DamagedWire()
  await wire.mend()
  onTestFinished(() => wire.refuse())
  return wire
}
