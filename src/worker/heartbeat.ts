/** The main thread's side of heartbeats: one host for all workers of the process, which join it and are told what it learns. */
import { Worker as Thread } from 'node:worker_threads'
import type { WorkPort } from '../domain/port.js'
import { Heart, type Member, type Told } from './heart.js'
import type { FromThread, ToThread } from './heartbeat-thread.js'
import type { HeartbeatModule, WorkerLog } from './worker-options.js'

export interface HeartbeatHost {
  /** Resolves when it can beat. Until then nobody should take a lease: it could end before the first beat. */
  ready(): Promise<void>
  /** Begins to beat; `told` hears what was learned. */
  join(member: Omit<Member, 'id'>, told: (told: Told) => void): Heartbeat
  close(): Promise<void>
}

export interface Heartbeat {
  /** The leases to renew from now on. */
  hold(lease: number | null, own: number[]): void
  /** No more beats; the worker's presence is taken back. */
  leave(): Promise<void>
}

/** Nobody else beats in this process, so numbers are enough. */
let lastId = 0

export function inlineHeartbeat(port: WorkPort): HeartbeatHost {
  const listeners = new Map<number, (told: Told) => void>()
  const heart = new Heart(port, (id, told) => listeners.get(id)?.(told))
  return {
    ready: async () => {},
    join(member, told) {
      const id = ++lastId
      listeners.set(id, told)
      heart.join({ ...member, id })
      return {
        hold: (lease, own) => heart.update(id, lease, own),
        leave: () => heart.leave(id).catch(() => {}),
      }
    },
    close: async () => {},
  }
}

const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 5_000
/** How long a thread that is told to leave may take, before it is left behind. */
const LEAVE_MS = 2_000

interface Joined {
  member: Member
  told: (told: Told) => void
  left: (() => void) | null
}

/** A thread that dies is replaced; until then nothing is renewed, and the workers fence themselves in time. */
export class ThreadHeartbeat implements HeartbeatHost {
  readonly #module: HeartbeatModule
  readonly #log: WorkerLog | undefined
  readonly #members = new Map<number, Joined>()
  #thread: Thread | null = null
  #ready = false
  #deaths = 0
  #closing = false
  #restart: NodeJS.Timeout | undefined
  #tellReady: (error?: Error) => void = () => {}
  readonly #firstReady = new Promise<void>((resolve, reject) => {
    this.#tellReady = (error) => (error === undefined ? resolve() : reject(error))
  })

  constructor(module: HeartbeatModule, log?: WorkerLog) {
    this.#module = module
    this.#log = log
    this.#firstReady.catch(() => {})
    this.#spawn()
  }

  /** Rejects when the first thread cannot begin: whoever starts a worker should hear of it. */
  ready(): Promise<void> {
    return this.#firstReady
  }

  join(member: Omit<Member, 'id'>, told: (told: Told) => void): Heartbeat {
    const id = ++lastId
    const joined: Joined = { member: { ...member, id }, told, left: null }
    this.#members.set(id, joined)
    this.#say({ join: joined.member })
    return {
      hold: (lease, own) => {
        joined.member.lease = lease
        joined.member.own = own
        this.#say({ update: { id, lease, own } })
      },
      leave: () => this.#leave(id, joined),
    }
  }

  async close(): Promise<void> {
    this.#closing = true
    clearTimeout(this.#restart)
    const thread = this.#thread
    if (thread === null) return
    const gone = new Promise<void>((resolve) => thread.once('exit', () => resolve()))
    if (this.#ready) thread.postMessage({ close: true } satisfies ToThread)
    else void thread.terminate()
    const late = setTimeout(() => void thread.terminate(), LEAVE_MS)
    await gone
    clearTimeout(late)
  }

  #leave(id: number, joined: Joined): Promise<void> {
    if (!this.#ready) {
      this.#members.delete(id)
      return Promise.resolve()
    }
    return new Promise((resolve) => {
      const late = setTimeout(() => joined.left?.(), LEAVE_MS)
      joined.left = () => {
        clearTimeout(late)
        this.#members.delete(id)
        resolve()
      }
      this.#say({ leave: id })
    })
  }

  #say(message: ToThread): void {
    // What is said before it is ready, it hears from the list of members when it is.
    if (this.#ready) this.#thread?.postMessage(message)
  }

  #spawn(): void {
    const thread = new Thread(new URL('./heartbeat-thread.js', import.meta.url), { workerData: this.#module })
    this.#thread = thread
    // The workers keep the process alive for as long as they should; the heartbeat alone is no reason to.
    thread.unref()
    thread.on('message', (message: FromThread) => this.#hear(message))
    thread.on('error', (error) => {
      this.#tellReady(error)
      this.#log?.error({ error: error.message }, 'the heartbeat thread failed')
    })
    thread.on('exit', () => this.#died())
  }

  #hear(message: FromThread): void {
    if ('told' in message) this.#members.get(message.told.id)?.told(message.told.told)
    else if ('left' in message) this.#members.get(message.left)?.left?.()
    else {
      this.#ready = true
      this.#deaths = 0
      this.#tellReady()
      for (const { member } of this.#members.values()) this.#say({ join: member })
    }
  }

  #died(): void {
    this.#thread = null
    this.#ready = false
    for (const { left } of this.#members.values()) left?.()
    if (this.#closing) return
    const most = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#deaths)
    this.#deaths += 1
    this.#restart = setTimeout(() => this.#spawn(), Math.random() * most)
    this.#restart.unref()
  }
}
