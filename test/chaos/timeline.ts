/**
 * What will go wrong and when, all of it from one number: the same number gives the same list, on every machine. What the list meets
 * (which job is running, which reply is on the wire) is up to the moment.
 */
import { Random } from './random.js'

export type Restart = 'fast' | 'immediate' | 'crash'
/** The whole table against writers, against everybody, or some of its rows. */
export type LockMode = 'share' | 'access exclusive' | 'rows'

export type Fault =
  | { readonly fault: 'kill'; readonly worker: number }
  | { readonly fault: 'freeze'; readonly worker: number; readonly forMs: number }
  /** `again`: a second SIGTERM while it drains, as from somebody who will not wait. */
  | { readonly fault: 'drain'; readonly worker: number; readonly again: boolean }
  | { readonly fault: 'restart'; readonly how: Restart }
  | { readonly fault: 'terminate backends'; readonly times: number }
  | {
      readonly fault: 'blackhole'
      readonly worker: number | 'all'
      readonly forMs: number
      /** What becomes of bytes and connections held back meanwhile. */
      readonly end: 'deliver' | 'reset'
    }
  /** The connections there are go silent for good, and only they: new ones work. */
  | { readonly fault: 'half-open'; readonly worker: number | 'all' }
  | { readonly fault: 'cut after commit'; readonly words: string; readonly times: number }
  | { readonly fault: 'latency'; readonly ms: number; readonly forMs: number }
  | { readonly fault: 'idle in transaction'; readonly forMs: number }
  | { readonly fault: 'lock'; readonly table: string; readonly mode: LockMode; readonly forMs: number }
  | { readonly fault: 'exhaust pools'; readonly jobs: number }
  | { readonly fault: 'poison' }
  | { readonly fault: 'kill HTTP server' }
  /** An operator ends an attempt, and the next one comes to the same worker. */
  | { readonly fault: 'revoke' }
  /** Jobs arrive at targets as the last one there ends. */
  | { readonly fault: 'crossing' }
  /** All processes of Postgres, just after a handler has begun. */
  | { readonly fault: 'crash after a claim' }
  /** The same after nothing was flushed for a while that no commit waited for. `quiet`: nobody but those who roll back and who follow the feed is there; else one worker, which has just claimed a job. */
  | { readonly fault: 'crash, WAL writer frozen'; readonly quiet: boolean; readonly forMs: number }
  | { readonly fault: 'zombie' }

export type FaultAt = Fault & { readonly atMs: number }

export interface WorkerPlan {
  /** How wrong its clock is. */
  readonly skewMs: number
  /** Whether it has a handler for the kind that not every worker knows. */
  readonly knowsRare: boolean
  /** It has no database, only a server. */
  readonly remote: boolean
}

export interface Plan {
  readonly seed: number
  readonly seconds: number
  readonly workers: readonly WorkerPlan[]
  readonly timeline: readonly FaultAt[]
}

const HOUR_MS = 3_600_000
/** On average; some come together. */
const EVERY_MS = 1_200
/** Long enough that somebody else has taken over: the lease, a sweep, a claim. */
const PAST_THE_LEASE_MS = [3_500, 6_000] as const

/** Words of statements whose replies are worth losing. */
const COMMITS = ['commit', 'holdfast.enqueue_many', 'holdfast.finish', 'holdfast.claim', 'holdfast.report']
const HOT_TABLES = ['ready', 'running', 'lane', 'lease', 'dedup']
/** In turn, so that a run has each of them. */
const RESTARTS: readonly Restart[] = ['fast', 'immediate', 'crash']
const LOCK_MODES: readonly LockMode[] = ['share', 'access exclusive', 'rows']

/** Each as often as it stands here, in an order of the seed's; then again. */
const DECK: readonly Fault['fault'][] = [
  'kill',
  'kill',
  'freeze',
  'freeze',
  'drain',
  'drain',
  'restart',
  'restart',
  'restart',
  'terminate backends',
  'terminate backends',
  'blackhole',
  'blackhole',
  'half-open',
  'cut after commit',
  'cut after commit',
  'latency',
  'idle in transaction',
  'lock',
  'exhaust pools',
  'poison',
  'zombie',
  'kill HTTP server',
  'revoke',
  'crossing',
  'crash after a claim',
  'crash, WAL writer frozen',
]

/** Without these even a short run would prove little. */
const FIRST: readonly Fault['fault'][] = [
  'zombie',
  'kill',
  'cut after commit',
  'freeze',
  'revoke',
  'crossing',
  'crash after a claim',
  'crash, WAL writer frozen',
  'crash, WAL writer frozen',
]
/** The first of these, in an order of the seed's: a run must have both. */
const QUIET = [true, false] as const

export function planOf(seed: number, seconds: number, workers: number): Plan {
  const random = new Random(seed)
  return {
    seed,
    seconds,
    workers: Array.from({ length: workers }, (_, index) => ({
      remote: index === workers - 1 && workers > 2,
      skewMs: index === 0 ? HOUR_MS : index === 1 ? -HOUR_MS : random.pick([0, HOUR_MS, -HOUR_MS]),
      knowsRare: index % 2 === 0,
    })),
    timeline: timelineOf(random.fork(1), seconds, workers),
  }
}

function timelineOf(random: Random, seconds: number, workers: number): FaultAt[] {
  const timeline: FaultAt[] = []
  let coming = random.shuffled(FIRST)
  const turns: Turns = {
    restarts: random.shuffled(RESTARTS),
    locks: random.shuffled(LOCK_MODES),
    quiet: random.shuffled(QUIET),
  }
  // The workers come first; and what is begun just before the end would meet nobody.
  for (let atMs = random.whole(300, 900); atMs < seconds * 1_000 - 1_000; ) {
    if (coming.length === 0) coming = random.shuffled(DECK)
    timeline.push({ atMs, ...faultOf(coming.shift() as Fault['fault'], random, workers, turns) })
    atMs += random.chance(0.2) ? 0 : random.whole(EVERY_MS / 2, EVERY_MS * 2)
  }
  return timeline
}

interface Turns {
  readonly restarts: Restart[]
  readonly locks: LockMode[]
  readonly quiet: boolean[]
}

function inTurn<T>(list: T[]): T {
  const next = list.shift() as T
  list.push(next)
  return next
}

function faultOf(fault: Fault['fault'], random: Random, workers: number, turns: Turns): Fault {
  const worker = random.whole(0, workers - 1)
  switch (fault) {
    case 'kill':
      return { fault, worker }
    case 'drain':
      return { fault, worker, again: random.chance(0.3) }
    case 'freeze':
      return { fault, worker, forMs: random.whole(...PAST_THE_LEASE_MS) }
    case 'restart':
      return { fault, how: inTurn(turns.restarts) }
    case 'terminate backends':
      return { fault, times: random.whole(1, 5) }
    case 'blackhole':
      return {
        fault,
        worker: random.chance(0.25) ? 'all' : worker,
        forMs: random.whole(...PAST_THE_LEASE_MS),
        end: random.pick(['deliver', 'reset'] as const),
      }
    case 'half-open':
      return { fault, worker: random.chance(0.25) ? 'all' : worker }
    case 'cut after commit':
      return { fault, words: random.pick(COMMITS), times: random.whole(1, 4) }
    case 'latency':
      return { fault, ms: random.whole(20, 250), forMs: random.whole(1_000, 4_000) }
    case 'idle in transaction':
      return { fault, forMs: random.whole(2_000, 8_000) }
    case 'lock':
      return {
        fault,
        table: random.pick(HOT_TABLES),
        mode: inTurn(turns.locks),
        forMs: random.whole(300, 1_500),
      }
    case 'exhaust pools':
      return { fault, jobs: random.whole(2, 2 * workers) }
    case 'crash, WAL writer frozen':
      return { fault, quiet: inTurn(turns.quiet), forMs: random.whole(200, 800) }
    case 'poison':
    case 'zombie':
    case 'kill HTTP server':
    case 'revoke':
    case 'crossing':
    case 'crash after a claim':
      return { fault }
  }
}

/** What must have been done at least once in a run that planned it. */
export function sortOf(fault: Fault): string {
  return fault.fault === 'restart' ? `${fault.how} restart` : fault.fault
}

/** One line for people. */
export function describeFault(fault: Fault): string {
  const { fault: name, ...rest } = fault
  const said = Object.entries(rest)
    .filter(([key]) => key !== 'atMs')
    .map(([key, value]) => `${key} ${value}`)
  return said.length === 0 ? name : `${name} (${said.join(', ')})`
}
