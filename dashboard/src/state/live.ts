/**
 * The stream of events (server-sent events) for the whole page. It is read with fetch, not EventSource, because a key for all tenants
 * names its tenant in a header. Events reach subscribers in batches, four times a second at most, so that a thousand events a second cost
 * as much as four. When the stream ends it is opened again from the last id; when that fails, pages poll, and `notLiveSince` has the time.
 */
import { effect, signal } from '@preact/signals'
import { actingTenant, addressOf, headersOf, signedOut } from '../api/call.js'
import type { AnswerOf } from '../api/contract.js'
import { sessionState } from './session.js'

type Counts = AnswerOf<'GET /api/v1/queues'>['queues'][number]['counts']

export interface LiveEvent {
  readonly kind: 'job' | 'note'
  readonly type: string
  readonly at: string
  readonly job_ids: readonly number[]
  readonly queue_id?: number | null
  readonly actor?: string | null
  readonly reason?: string | null
  readonly data?: unknown
}

/** Jobs of a queue by place, each counted up to a limit; those that stopped there are in `capped`. */
export interface QueueCounts extends Counts {
  readonly queue: string
}

type Listener = (events: readonly LiveEvent[]) => void

const DELIVER_MS = 250
const RETRY_MS = [500, 1_000, 2_000, 5_000, 10_000]
/** The server sends a comment every 15 seconds; a stream that is silent for longer is gone. */
const SILENT_MS = 40_000
/** A short gap between two streams is not worth a message. */
const GRACE_MS = 3_000
/** Events kept for the next delivery. More are dropped: a subscriber reloads anyway. */
const KEPT_MAX = 5_000

/** So long events are parsed in one go; clicks and keys come in between. */
const TAKEN_AT_ONCE_MS = 4

/** Null while live. */
export const notLiveSince = signal<number | null>(null)
export const connected = signal(false)
export const queueCounts = signal<readonly QueueCounts[]>([])

const listeners = new Set<Listener>()
let waiting: LiveEvent[] = []
let deliverTimer: ReturnType<typeof setTimeout> | undefined
let graceTimer: ReturnType<typeof setTimeout> | undefined
let lastId: string | null = null

/** Calls the listener with batches of events until the returned function is called. */
export function onEvents(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function keep(event: LiveEvent): void {
  waiting.push(event)
  if (deliverTimer !== undefined) return
  deliverTimer = setTimeout(() => {
    deliverTimer = undefined
    const batch = waiting
    waiting = []
    for (const listener of listeners) listener(batch)
  }, DELIVER_MS)
}

function setConnected(is: boolean): void {
  connected.value = is
  clearTimeout(graceTimer)
  if (is) notLiveSince.value = null
  else {
    const since = Date.now()
    graceTimer = setTimeout(() => {
      notLiveSince.value ??= since
    }, GRACE_MS)
  }
}

/** One event of the stream: lines up to an empty one. */
function take(block: string): void {
  let name = 'message'
  let data = ''
  for (const line of block.split('\n')) {
    if (line.startsWith('id:')) lastId = line.slice(3).trim()
    else if (line.startsWith('event:')) name = line.slice(6).trim()
    else if (line.startsWith('data:')) data += line.slice(5)
  }
  if (data === '') return
  if (name === 'counts') takeCounts(data)
  // What is not kept need not be read.
  else if ((name === 'job' || name === 'note') && waiting.length < KEPT_MAX)
    keep({ kind: name, ...(JSON.parse(data) as Omit<LiveEvent, 'kind'>) })
}

let countsText = ''

/** The server sends them every two seconds; most often few queues have changed, or none. */
function takeCounts(data: string): void {
  if (data === countsText) return
  countsText = data
  queueCounts.value = (JSON.parse(data) as { queues: QueueCounts[] }).queues
}

async function readStream(signal: AbortSignal): Promise<void> {
  const silence = new AbortController()
  let timer = setTimeout(() => silence.abort(), SILENT_MS)
  try {
    const response = await fetch(addressOf('/api/v1/events'), {
      headers: {
        ...headersOf('GET'),
        accept: 'text/event-stream',
        ...(lastId === null ? {} : { 'last-event-id': lastId }),
      },
      signal: AbortSignal.any([signal, silence.signal]),
    })
    if (response.status === 401) signedOut.value++
    if (!response.ok || response.body === null) {
      // The id may be of another tenant or too old: begin at now.
      lastId = null
      throw new Error(`the stream answered ${response.status}`)
    }
    setConnected(true)
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      clearTimeout(timer)
      timer = setTimeout(() => silence.abort(), SILENT_MS)
      const blocks = (text + value).split(/\r?\n\r?\n/)
      text = blocks.pop() ?? ''
      // The server sends the events of a second at once.
      let began = performance.now()
      for (const block of blocks) {
        take(block)
        if (performance.now() - began < TAKEN_AT_ONCE_MS) continue
        await new Promise((done) => setTimeout(done))
        began = performance.now()
      }
    }
  } finally {
    clearTimeout(timer)
  }
}

async function follow(signal: AbortSignal): Promise<void> {
  for (let failures = 0; !signal.aborted; ) {
    try {
      await readStream(signal)
      failures = 0
    } catch {
      failures++
    }
    if (signal.aborted) return
    setConnected(false)
    await pause(RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] ?? 0, signal)
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      done()
    })
  })
}

/** Follows the stream while signed in; another tenant begins another stream. */
export function startLive(): void {
  effect(() => {
    void actingTenant.value
    if (sessionState.value !== 'open') return
    lastId = null
    countsText = ''
    queueCounts.value = []
    const stop = new AbortController()
    void follow(stop.signal)
    return () => stop.abort()
  })
}
