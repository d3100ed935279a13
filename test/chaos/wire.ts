/**
 * A wire between one program and Postgres that the nemesis can damage: hold everything back and let it through later or never, delay
 * it, fall silent on the connections there are, cut it, or cut it just after the server has done what it was asked and before the program hears of it.
 */
import { createServer, connect as dial, type Server, type Socket } from 'node:net'

/** The server ends every reply with ReadyForQuery, when the transaction is over: 'Z', length 5, one status byte. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5])

interface Joint {
  readonly client: Socket
  readonly upstream: Socket
  readonly up: Delayed
  readonly down: Delayed
  /** Its next reply is lost, and the connection with it. */
  condemned: boolean
  /** Half open: whatever either end says, nobody hears it. */
  silent: boolean
}

export class Wire {
  /** Connections made so far, those that replaced a broken one among them. */
  dialed = 0
  /** Connections the nemesis has broken. */
  broken = 0
  /** Connections a program made anew after it had lost one. */
  reconnects = 0
  /** Replies that were lost after the server had done its part. */
  lost = 0
  readonly #upstreamPort: () => number
  readonly #joints = new Set<Joint>()
  readonly #sockets = new Set<Socket>()
  #server: Server | undefined
  #port = 0
  #held = false
  #latencyMs = 0
  #lostOfProgram = 0
  #victim: { words: Buffer; times: number } | undefined

  constructor(upstreamPort: () => number) {
    this.#upstreamPort = upstreamPort
  }

  async open(): Promise<void> {
    const server = createServer((client) => this.#join(client))
    this.#server = server
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(0, '127.0.0.1', resolve)
    })
    this.#port = (server.address() as { port: number }).port
  }

  /** Another program is at this end from now on, and its first connections are not a return. */
  newProgram(): void {
    this.#lostOfProgram = 0
  }

  /** The address of the server through this wire. */
  through(url: string): string {
    const address = new URL(url)
    address.hostname = '127.0.0.1'
    address.port = String(this.#port)
    return address.href
  }

  /** From now on nothing passes, in either direction, and nobody is told. New connections hang as well. */
  hold(): void {
    this.#held = true
    for (const { client, upstream } of this.#joints) {
      client.pause()
      upstream.pause()
    }
  }

  /** What was held back arrives now, late, or its connections are gone. */
  letGo(then: 'deliver' | 'reset'): void {
    if (!this.#held) return
    this.#held = false
    if (then === 'reset') this.cut()
    // Also those whose other end is gone: who is not read from never notices.
    for (const socket of this.#sockets) socket.resume()
  }

  delay(ms: number): void {
    this.#latencyMs = ms
  }

  /** The next requests that contain these words are carried out, their replies dropped, their connections cut. */
  loseRepliesTo(words: string, times: number): void {
    this.#victim = { words: Buffer.from(words), times }
  }

  /** Every connection there is goes silent, for good; new ones work. */
  halfOpen(): void {
    for (const joint of this.#joints) {
      if (joint.silent) continue
      joint.silent = true
      this.broken += 1
      this.#lostOfProgram += 1
    }
  }

  /** Breaks every connection there is. */
  cut(): void {
    for (const joint of this.#joints) this.#break(joint)
  }

  heal(): void {
    this.#victim = undefined
    this.#latencyMs = 0
    this.letGo('deliver')
  }

  async close(): Promise<void> {
    this.heal()
    for (const socket of this.#sockets) socket.destroy()
    const server = this.#server
    await new Promise<void>((resolve) => (server === undefined ? resolve() : server.close(() => resolve())))
  }

  #break(joint: Joint): void {
    if (!this.#joints.delete(joint)) return
    if (!joint.silent) {
      this.broken += 1
      this.#lostOfProgram += 1
    }
    joint.client.resetAndDestroy()
    joint.upstream.destroy()
  }

  #join(client: Socket): void {
    this.dialed += 1
    if (this.#lostOfProgram > 0) {
      this.#lostOfProgram -= 1
      this.reconnects += 1
    }
    const upstream = dial(this.#upstreamPort(), '127.0.0.1')
    const up = new Delayed(upstream)
    const down = new Delayed(client)
    const joint: Joint = { client, upstream, up, down, condemned: false, silent: false }
    this.#joints.add(joint)
    for (const socket of [client, upstream]) {
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
    }
    client.on('error', () => {})
    upstream.on('error', () => client.destroy())
    client.on('data', (bytes) => this.#ask(joint, bytes))
    upstream.on('data', (bytes) => this.#answer(joint, bytes))
    // What the client had sent before it left still arrives.
    client.on('close', () => {
      this.#joints.delete(joint)
      up.end()
    })
    upstream.on('close', () => {
      // The server has ended it, not the program.
      if (this.#joints.delete(joint) && !joint.silent) this.#lostOfProgram += 1
      // Of one that is half open not even the end is heard.
      if (!joint.silent) down.end()
    })
    if (this.#held) {
      client.pause()
      upstream.pause()
    }
  }

  #ask(joint: Joint, bytes: Buffer): void {
    if (joint.silent) return
    const victim = this.#victim
    if (victim !== undefined && bytes.includes(victim.words)) {
      victim.times -= 1
      if (victim.times <= 0) this.#victim = undefined
      joint.condemned = true
    }
    joint.up.send(bytes, this.#latencyMs)
  }

  #answer(joint: Joint, bytes: Buffer): void {
    if (joint.silent) return
    if (!joint.condemned) {
      joint.down.send(bytes, this.#latencyMs)
    } else if (bytes.subarray(-6, -1).equals(READY)) {
      this.lost += 1
      this.#break(joint)
    }
  }
}

/** Bytes on their way to a socket, in order, however the delay changes. */
class Delayed {
  readonly #to: Socket
  readonly #queue: { at: number; bytes: Buffer | null }[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(to: Socket) {
    this.#to = to
  }

  send(bytes: Buffer, latencyMs: number): void {
    if (latencyMs === 0 && this.#queue.length === 0) {
      if (this.#to.writable) this.#to.write(bytes)
      return
    }
    this.#queue.push({ at: performance.now() + latencyMs, bytes })
    this.#wait()
  }

  end(): void {
    if (this.#queue.length === 0) this.#to.end()
    else this.#queue.push({ at: 0, bytes: null })
  }

  #wait(): void {
    const [first] = this.#queue
    if (this.#timer !== undefined || first === undefined) return
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined
        while (this.#queue[0] !== undefined && this.#queue[0].at <= performance.now() + 1) {
          const { bytes } = this.#queue.shift() as { bytes: Buffer | null }
          if (bytes === null) this.#to.end()
          else if (this.#to.writable) this.#to.write(bytes)
        }
        this.#wait()
      },
      Math.max(1, first.at - performance.now()),
    )
  }
}
