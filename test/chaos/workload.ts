/** The jobs of a run: which queues there are, and what the producers ask for. Everything has a token, by which it is known outside. */
import type { QueueDeclaration } from 'holdfast'
import type { Random } from './random.js'

const LEASE_MS = 2_000

const SHORT: QueueDeclaration = {
  leaseMs: LEASE_MS,
  heartbeatMs: 400,
  retryBaseMs: 50,
  retryCapMs: 500,
  maxRetries: 4,
}

/** Running at most, in the queue that has a limit. */
const MAX_RUNNING = 3

export const QUEUES: Readonly<Record<string, QueueDeclaration>> = {
  plain: SHORT,
  lanes: SHORT,
  keys: SHORT,
  few: { ...SHORT, maxRunning: MAX_RUNNING },
  reports: { ...SHORT, renewedBy: 'report', heartbeatMs: null },
  // What stops a job here leaves it to a person, see operator.ts.
  sites: { preset: 'target', leaseMs: LEASE_MS, heartbeatMs: 400 },
  far: SHORT,
  victims: SHORT,
  crossings: SHORT,
}

export interface Input {
  readonly token: string
  /** How long the handler takes. */
  readonly ms: number
  /** Attempts that fail before one does not. */
  readonly fails?: number
  readonly items?: number
}

export interface Wanted {
  readonly kind: string
  readonly input: Input
  readonly target?: string
  readonly key?: string
  readonly delayMs?: number
  readonly priority?: number
  readonly maxRetries?: number
}

/** What kinds there are, and in which queue they wait. */
export const KINDS: Readonly<Record<string, keyof typeof QUEUES>> = {
  commit: 'plain',
  plain: 'plain',
  flaky: 'plain',
  snooze: 'plain',
  parent: 'plain',
  child: 'plain',
  rare: 'plain',
  hog: 'plain',
  poison: 'plain',
  lane: 'lanes',
  keyed: 'keys',
  few: 'few',
  report: 'reports',
  site: 'sites',
  far: 'far',
  victim: 'victims',
  crossing: 'crossings',
}

/** Those of a worker that has no database, only a server; the last one only such a worker knows. */
export const KINDS_OVER_HTTP = ['site', 'far'] as const
export const ONLY_OVER_HTTP = 'far'
/** Those that are claimed and finished by hand, see victim.ts and crossing.ts. */
export const BY_HAND: readonly string[] = ['victim', 'crossing']

const TARGETS = 8
const KEYS = 12

export function anyJob(random: Random, token: string): Wanted {
  const ms = random.chance(0.1) ? random.whole(300, 3_000) : random.whole(0, 60)
  const input = { token, ms }
  const priority = random.whole(0, 9)
  const die = random.next()
  if (die < 0.2) return { kind: 'commit', input, priority }
  if (die < 0.35) return { kind: 'plain', input, priority }
  if (die < 0.42) {
    return { kind: 'flaky', input: { ...input, fails: random.whole(1, 4) }, maxRetries: random.whole(0, 4) }
  }
  if (die < 0.46) return { kind: 'snooze', input }
  if (die < 0.52) return { kind: 'commit', input, delayMs: random.whole(100, 3_000) }
  if (die < 0.56) return { kind: 'parent', input }
  if (die < 0.58) return { kind: 'rare', input }
  if (die < 0.74) {
    // Short, or a target with a long queue would not be done by the end of the run.
    return { kind: 'lane', input: { token, ms: random.whole(0, 40) }, target: `t${random.whole(1, TARGETS)}` }
  }
  if (die < 0.84) return { kind: 'keyed', input, key: `k${random.whole(1, KEYS)}` }
  if (die < 0.88) {
    return { kind: 'site', input: { token, ms: random.whole(0, 40) }, target: `s${random.whole(1, TARGETS)}` }
  }
  if (die < 0.91) return { kind: 'far', input, priority }
  if (die < 0.95) return { kind: 'few', input: { token, ms: random.whole(0, 40) } }
  return { kind: 'report', input: { ...input, ms: random.whole(0, 200), items: random.whole(1, 6) } }
}
