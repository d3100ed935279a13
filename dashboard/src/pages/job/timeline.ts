/**
 * The story of a job on one time axis: waits, attempts and losses as bars. Pure: the clock is a parameter. Long silences are broken, so
 * that a job that waited for three days and ran for three seconds still shows its attempts.
 */
import type { AnswerOf } from '../../api/contract.js'

export type Job = AnswerOf<'GET /api/v1/jobs/{id}'>
export type Attempt = AnswerOf<'GET /api/v1/jobs/{id}/attempts'>['attempts'][number]

/** wait: grey. The others: attempts by how they ended; `lost` is hatched. */
export type BarLook = 'wait' | 'held' | 'good' | 'busy' | 'bad' | 'lost' | 'quiet'

export interface Bar {
  readonly id: string
  readonly label: string
  readonly look: BarLook
  readonly from: number
  readonly to: number
  /** Until now: it grows. */
  readonly open: boolean
  /** Of an attempt that ended; it opens its log, error or result. */
  readonly attempt?: Attempt
  readonly number?: number
  readonly worker?: string | null
}

export interface Story {
  /** Oldest first. */
  readonly bars: readonly Bar[]
  readonly attempts: number
  readonly lost: number
  readonly failed: number
}

const WAITS: Readonly<Record<string, string>> = {
  queued: 'waited in line',
  retrying: 'waited for the retry',
  scheduled: 'waited for its time',
  waiting: 'waited for its target',
  pending: 'waited to be published',
  paused: 'paused',
  errored: 'blocked its target',
  parked: 'waited for a worker of its kind',
}

const WAITS_NOW: Readonly<Record<string, string>> = {
  queued: 'waits in line',
  retrying: 'waits for the retry',
  scheduled: 'waits for its time',
  waiting: 'waits for its target',
  pending: 'waits to be published',
  paused: 'is paused',
  errored: 'blocks its target',
  parked: 'waits for a worker of its kind',
}

const HELD: ReadonlySet<string> = new Set(['paused', 'errored', 'parked', 'waiting'])

const LOOKS: Readonly<Record<Attempt['outcome'], BarLook>> = {
  succeeded: 'good',
  failed: 'bad',
  lost: 'lost',
  canceled: 'quiet',
  snoozed: 'quiet',
  released: 'quiet',
  parked: 'held',
}

export function storyOf(job: Job, ended: readonly Attempt[], now: number): Story {
  const attempts = [...ended].sort((a, b) => ms(a.finished_at) - ms(b.finished_at))
  const bars: Bar[] = []
  let at = ms(job.created_at)
  // The state in which it waited; unknown for the first wait, which is in line for most jobs.
  let waited = 'queued'
  const wait = (to: number) => {
    if (to - at < 1) return
    bars.push({
      id: `wait-${bars.length}`,
      label: WAITS[waited] ?? 'waited',
      look: HELD.has(waited) ? 'held' : 'wait',
      from: at,
      to,
      open: false,
    })
  }
  for (const attempt of attempts) {
    const end = ms(attempt.finished_at)
    const start = attempt.claimed_at ?? attempt.started_at
    if (start === null) {
      // Ended while it waited: canceled, skipped, discarded.
      wait(end)
      bars.push({
        id: `end-${end}`,
        label: attempt.reason ?? attempt.moved_to,
        look: attempt.moved_to === 'failed' ? 'bad' : 'quiet',
        from: end,
        to: end,
        open: false,
        attempt,
      })
    } else {
      wait(ms(start))
      bars.push({
        id: `attempt-${attempt.attempt}-${end}`,
        label: `attempt ${attempt.attempt}`,
        look: LOOKS[attempt.outcome],
        from: ms(start),
        to: Math.max(end, ms(start)),
        open: false,
        attempt,
        number: attempt.attempt,
        worker: attempt.worker,
      })
    }
    at = Math.max(at, end)
    waited = attempt.moved_to
  }
  if (job.finished_at === null) addPresent(job, bars, { at, now, wait })
  return {
    bars,
    attempts: bars.filter((bar) => bar.number !== undefined).length,
    lost: attempts.filter(({ outcome }) => outcome === 'lost').length,
    failed: attempts.filter(({ outcome }) => outcome === 'failed').length,
  }
}

interface Present {
  readonly at: number
  readonly now: number
  readonly wait: (to: number) => void
}

function addPresent(job: Job, bars: Bar[], { at, now, wait }: Present): void {
  if ((job.state === 'running' || job.state === 'assigned') && job.claimed_at !== null) {
    const from = ms(job.claimed_at)
    wait(from)
    bars.push({
      id: `attempt-${job.attempt}-now`,
      label: `attempt ${job.attempt}`,
      look: 'busy',
      from,
      to: Math.max(now, from),
      open: true,
      number: job.attempt,
      worker: job.lease_owner,
    })
    return
  }
  bars.push({
    id: 'wait-now',
    label: WAITS_NOW[job.state] ?? 'waits',
    look: HELD.has(job.state) ? 'held' : 'wait',
    from: at,
    to: Math.max(now, at),
    open: true,
  })
}

export interface Placed {
  readonly bar: Bar
  /** From 0 to 1. */
  readonly left: number
  readonly width: number
  /** The middle of the bar is cut out. */
  readonly broken: boolean
}

/** The least share of a bar, so that an attempt of a millisecond can be seen. */
const LEAST = 0.012
/** The share of a silence that is broken. */
const BROKEN = 0.09
/** A silence is broken when it is longer than everything else by this factor. */
const TOO_LONG = 3

/** Where each bar is on the axis. Bars follow each other without gaps, so the axis is the sum of their parts. */
export function placed(bars: readonly Bar[]): Placed[] {
  const lengths = bars.map(({ from, to }) => to - from)
  const isBroken = brokenBars(bars, lengths)
  const drawn = lengths.reduce((sum, length, n) => sum + (isBroken.has(n) ? 0 : length), 0)
  const fixed = bars.reduce((sum, _, n) => sum + (isBroken.has(n) ? BROKEN : LEAST), 0)
  const room = Math.max(0, 1 - fixed)
  const scale = Math.max(1, fixed)
  const unused = drawn === 0 && bars.length > 0 ? room / bars.length : 0
  let left = 0
  return bars.map((bar, n) => {
    const share = drawn === 0 ? 0 : ((lengths[n] ?? 0) / drawn) * room
    const width = ((isBroken.has(n) ? BROKEN : LEAST + share) + unused) / scale
    const place = { bar, left, width, broken: isBroken.has(n) }
    left += width
    return place
  })
}

/** Only waits are broken, longest first, while one of them hides the rest. */
function brokenBars(bars: readonly Bar[], lengths: readonly number[]): ReadonlySet<number> {
  const broken = new Set<number>()
  const waits = bars
    .map((_, n) => n)
    .filter((n) => bars[n]?.number === undefined)
    .sort((a, b) => (lengths[b] ?? 0) - (lengths[a] ?? 0))
  let total = lengths.reduce((sum, length) => sum + length, 0)
  for (const n of waits) {
    const length = lengths[n] ?? 0
    const rest = total - length
    if (rest <= 0 || length < TOO_LONG * rest) break
    broken.add(n)
    total = rest
  }
  return broken
}

/** The states a job was in, in order, as far as its attempts say. */
export function pathOf(job: Job, ended: readonly Attempt[]): string[] {
  const attempts = [...ended].sort((a, b) => ms(a.finished_at) - ms(b.finished_at))
  const path: string[] = []
  const add = (state: string) => {
    if (path.at(-1) !== state) path.push(state)
  }
  for (const attempt of attempts) {
    if (attempt.claimed_at !== null || attempt.started_at !== null) {
      add('queued')
      add('assigned')
      if (attempt.started_at !== null) add('running')
    }
    add(attempt.moved_to)
  }
  if (job.finished_at === null) {
    if (job.state === 'assigned' || job.state === 'running') {
      add('queued')
      add('assigned')
    }
    add(job.state)
  }
  return path
}

function ms(at: string): number {
  return Date.parse(at)
}
