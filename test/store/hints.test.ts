/** What a claimer remembers, by a clock of its own. What that saves, and must never hide: hinted-claims.slow.test.ts. */
import { describe, expect, it } from 'vitest'
import { ClaimFrontier } from '../../src/store/claim/claim-frontier.js'

const QUEUE = 7
const WORTH_IT = 20_000

/** Hints on a clock that we move, for one queue. */
class Claimer {
  ms = 0
  readonly hints = new ClaimFrontier(() => this.ms)

  /** One claim that brought these jobs. */
  claim(jobs: readonly { jobId: number; level?: number; fresh?: boolean }[], tookMs = 1): void {
    const sent = this.hints.columns([QUEUE])
    const claimed = jobs.map(({ jobId, level = 0, fresh = true }) => ({
      queueId: QUEUE,
      jobId,
      level,
      fresh,
    }))
    this.hints.learn([QUEUE], sent, claimed, tookMs)
  }

  drain(from: number, count: number, level = 0): void {
    this.claim(Array.from({ length: count }, (_, n) => ({ jobId: from + n, level })))
  }

  get hint(): { level: number; jobId: number } | null {
    const { levels, jobs } = this.hints.columns([QUEUE])
    return jobs[0] == null ? null : { level: levels[0] as number, jobId: jobs[0] }
  }

  /** A full pass is due. */
  get due(): boolean {
    return this.hints.due([QUEUE]).length > 0
  }

  /** One claim that asked without hints, as a full pass does. */
  pass(jobs: readonly number[], tookMs: number): void {
    const claimed = jobs.map((jobId) => ({ queueId: QUEUE, jobId, level: 0, fresh: true }))
    this.hints.learn([QUEUE], { levels: [null], jobs: [null] }, claimed, tookMs)
  }
}

describe('a hint', () => {
  it('is worth sending only once 20,000 fresh jobs were claimed', () => {
    const claimer = new Claimer()
    claimer.drain(1, WORTH_IT - 1)
    claimer.claim([{ jobId: 50_000, fresh: false }])
    claimer.ms = 300
    expect(claimer.hint).toBeNull()
    claimer.drain(WORTH_IT, 1)
    claimer.ms = 600
    expect(claimer.hint).toEqual({ level: 0, jobId: WORTH_IT })
  })

  it('says where we stood 300 ms ago, not where we stand', () => {
    const claimer = new Claimer()
    claimer.drain(1, WORTH_IT)
    claimer.ms = 299
    expect(claimer.hint).toBeNull()
    claimer.drain(WORTH_IT + 1, 100)
    claimer.ms = 300
    expect(claimer.hint?.jobId).toBe(WORTH_IT)
    claimer.ms = 598
    expect(claimer.hint?.jobId).toBe(WORTH_IT)
    claimer.ms = 599
    expect(claimer.hint?.jobId).toBe(WORTH_IT + 100)
  })

  it('is looked behind every 1.5 seconds, or 30 times as long as the last full pass took', () => {
    const claimer = new Claimer()
    claimer.drain(1, WORTH_IT)
    claimer.ms = 1_499
    expect(claimer.due).toBe(false)
    claimer.ms = 1_500
    expect(claimer.due).toBe(true)
    expect(claimer.hint).not.toBeNull()
    claimer.pass([], 200)
    claimer.ms += 5_999
    expect(claimer.due).toBe(false)
    claimer.ms += 1
    expect(claimer.due).toBe(true)
  })

  it('is looked behind after ten seconds at the latest, however long the last full pass hung', () => {
    const claimer = new Claimer()
    claimer.drain(1, WORTH_IT)
    claimer.ms = 1_500
    claimer.pass([], 4_900)
    claimer.ms += 9_999
    expect(claimer.due).toBe(false)
    claimer.ms += 1
    expect(claimer.due).toBe(true)
  })

  it('comes at once from a pass that took longer than its jobs explain, 5,000 ids before the first of them', () => {
    const claimer = new Claimer()
    claimer.pass([90_001, 90_002], 10)
    expect(claimer.hint).toBeNull()
    claimer.pass([90_003, 90_004], 140)
    expect(claimer.hint).toEqual({ level: 0, jobId: 85_002 })
    claimer.ms = 300
    expect(claimer.hint).toEqual({ level: 0, jobId: 90_004 })
  })

  it('of costly passes is kept without work, and forgotten once a pass is cheap again', () => {
    const claimer = new Claimer()
    claimer.pass([90_001], 140)
    claimer.ms = 600_000
    expect(claimer.hint).toEqual({ level: 0, jobId: 90_001 })
    expect(claimer.due).toBe(true)
    claimer.pass([], 2)
    expect(claimer.hint).toBeNull()
  })

  it('is for the level most was claimed of', () => {
    const claimer = new Claimer()
    claimer.drain(1, WORTH_IT, 50)
    claimer.drain(30_000, WORTH_IT + 1, 20)
    claimer.ms = 300
    expect(claimer.hint).toEqual({ level: 20, jobId: 30_000 + WORTH_IT })
  })

  it('starts over from a job found far behind it, because there may be more', () => {
    const claimer = new Claimer()
    claimer.drain(10_001, WORTH_IT)
    claimer.ms = 300
    expect(claimer.hint?.jobId).toBe(10_000 + WORTH_IT)
    claimer.claim([{ jobId: 5 }, { jobId: 6 }])
    expect(claimer.hint).toBeNull()
    claimer.ms = 600
    expect(claimer.hint?.jobId).toBe(6)
  })

  it('is forgotten for a level nothing was found at for a minute, and another takes its place', () => {
    const claimer = new Claimer()
    claimer.drain(1, 5 * WORTH_IT, 50)
    claimer.ms = 50_000
    claimer.drain(200_000, WORTH_IT, 20)
    claimer.ms = 60_001
    expect(claimer.hint).toEqual({ level: 20, jobId: 200_000 + WORTH_IT - 1 })
    claimer.ms = 110_001
    claimer.claim([])
    expect(claimer.hint).toBeNull()
  })

  it('is another for each queue, and none for one it does not know', () => {
    const claimer = new Claimer()
    claimer.drain(1, WORTH_IT)
    claimer.ms = 300
    expect(claimer.hints.columns([1, QUEUE])).toEqual({ levels: [null, 0], jobs: [null, WORTH_IT] })
  })
})
