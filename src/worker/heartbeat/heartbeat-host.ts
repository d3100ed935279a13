/** Starts the heartbeat thread and connects the workers of this process with it. */

import { Worker as Thread } from 'node:worker_threads'
import type { Log } from '../../domain/log.js'
import { Backoff } from '../../domain/retry.js'
import type { HeartbeatModule } from '../worker-options.js'
import {
  HeartbeatLoop,
  type HeartbeatMember,
  type HeartbeatNews,
  type HeartbeatPort,
} from './heartbeat-loop.js'
import type { FromThread, ToThread } from './heartbeat-thread.js'

export interface HeartbeatHost {
  /** Resolves when heartbeats can be sent. A lease opened earlier could expire before the first one. */
  ready(): Promise<void>
  /** Starts heartbeats for a worker. */
  join(member: Omit<HeartbeatMember, 'id'>, onNews: (news: HeartbeatNews) => void): Heartbeat
  close(): Promise<void>
}

export interface Heartbeat {
  /** The leases to renew from now on. */
  setLeases(lease: number | null, jobLeases: number[]): void
  /** Stops the heartbeats and removes the worker from the list. */
  leave(): Promise<void>
}

/** Unique among the workers of this process. */
let lastId = 0

export function inlineHeartbeat(port: HeartbeatPort): HeartbeatHost {
  const listeners = new Map<number, (news: HeartbeatNews) => void>()
  const loop = new HeartbeatLoop(port, (id, news) => listeners.get(id)?.(news))
  return {
    ready: async () => {},
    join(member, onNews) {
      const id = ++lastId
      listeners.set(id, onNews)
      loop.join({ ...member, id })
      return {
        setLeases: (lease, jobLeases) => loop.update(id, lease, jobLeases),
        leave: () => loop.leave(id).catch(() => {}),
      }
    },
    close: async () => {},
  }
}

const RESTARTS = { firstMs: 100, maxMs: 5_000, jitter: 1 }
/** How long to wait for the thread to remove a worker, or to exit. */
const LEAVE_MS = 2_000

interface JoinedMember {
  member: HeartbeatMember
  onNews: (news: HeartbeatNews) => void
  left: (() => void) | null
}

/** A thread that dies is restarted. Until then nothing is renewed, and the workers give up their leases before these expire. */
export class ThreadHeartbeat implements HeartbeatHost {
  readonly #module: HeartbeatModule
  readonly #log: Log | undefined
  readonly #members = new Map<number, JoinedMember>()
  #thread: Thread | null = null
  #ready = false
  readonly #restarts = new Backoff(RESTARTS)
  #closing = false
  #restart: NodeJS.Timeout | undefined
  #settleReady: (error?: Error) => void = () => {}
  readonly #firstReady = new Promise<void>((resolve, reject) => {
    this.#settleReady = (error) => (error === undefined ? resolve() : reject(error))
  })

  constructor(module: HeartbeatModule, log?: Log) {
    this.#module = module
    this.#log = log
    this.#firstReady.catch(() => {})
    this.#spawn()
  }

  /** Rejects when the first thread cannot start, so that the start of the worker fails too. */
  ready(): Promise<void> {
    return this.#firstReady
  }

  join(member: Omit<HeartbeatMember, 'id'>, onNews: (news: HeartbeatNews) => void): Heartbeat {
    const id = ++lastId
    const joined: JoinedMember = { member: { ...member, id }, onNews, left: null }
    this.#members.set(id, joined)
    this.#post({ join: joined.member })
    return {
      setLeases: (lease, jobLeases) => {
        joined.member.lease = lease
        joined.member.jobLeases = jobLeases
        this.#post({ update: { id, lease, jobLeases } })
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

  #leave(id: number, joined: JoinedMember): Promise<void> {
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
      this.#post({ leave: id })
    })
  }

  #post(message: ToThread): void {
    // Once ready, the thread gets the whole list of members, so earlier messages may be dropped.
    if (this.#ready) this.#thread?.postMessage(message)
  }

  #spawn(): void {
    const thread = new Thread(new URL('./heartbeat-thread.js', import.meta.url), { workerData: this.#module })
    this.#thread = thread
    // The workers keep the process alive; the heartbeat alone must not.
    thread.unref()
    thread.on('message', (message: FromThread) => this.#receive(message))
    thread.on('error', (error) => {
      this.#settleReady(error)
      this.#log?.error(
        { event: 'heartbeat_thread_failed', error: error.message },
        'heartbeat thread failed; restarting',
      )
    })
    thread.on('exit', () => this.#exited())
  }

  #receive(message: FromThread): void {
    if ('news' in message) this.#members.get(message.id)?.onNews(message.news)
    else if ('left' in message) this.#members.get(message.left)?.left?.()
    else {
      this.#ready = true
      this.#restarts.reset()
      this.#settleReady()
      for (const { member } of this.#members.values()) this.#post({ join: member })
    }
  }

  #exited(): void {
    this.#thread = null
    this.#ready = false
    for (const { left } of this.#members.values()) left?.()
    if (this.#closing) return
    this.#restart = setTimeout(() => this.#spawn(), this.#restarts.nextMs())
    this.#restart.unref()
  }
}
