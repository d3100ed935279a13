// What goes wrong in a run comes from one number, and from nothing else.
import { describe, expect, it } from 'vitest'
import { Random } from './random.js'
import { describeFault, planOf, sortOf } from './timeline.js'

describe('the timeline of a run', () => {
  it('is the same for the same seed, whoever asks and whenever', () => {
    expect(planOf(42, 60, 6)).toEqual(planOf(42, 60, 6))
    // Written down, so that a change of the generator is noticed: old seeds then mean other runs.
    expect(planOf(42, 60, 4).timeline.slice(0, 8).map(describeFault)).toMatchInlineSnapshot(`
      [
        "revoke",
        "crash after a claim",
        "zombie",
        "crash, WAL writer frozen (quiet true, forMs 765)",
        "crash, WAL writer frozen (quiet false, forMs 542)",
        "freeze (worker 1, forMs 4271)",
        "kill (worker 2)",
        "crossing",
      ]
    `)
  })

  it('is another for another seed', () => {
    const plans = Array.from({ length: 50 }, (_, seed) => JSON.stringify(planOf(seed, 60, 4).timeline))
    expect(new Set(plans).size).toBe(50)
  })

  it('is in order and leaves the last second to what was begun', () => {
    for (let seed = 0; seed < 50; seed++) {
      const times = planOf(seed, 30, 4).timeline.map(({ atMs }) => atMs)
      expect(times).toEqual([...times].sort((a, b) => a - b))
      expect(times.at(-1)).toBeLessThan(29_000)
    }
  })

  it('begins with what makes even a short run count', () => {
    for (let seed = 0; seed < 50; seed++) {
      const first = planOf(seed, 60, 4).timeline.slice(0, 9)
      expect(first.map(({ fault }) => fault).sort()).toEqual([
        'crash after a claim',
        'crash, WAL writer frozen',
        'crash, WAL writer frozen',
        'crossing',
        'cut after commit',
        'freeze',
        'kill',
        'revoke',
        'zombie',
      ])
    }
  })

  it('has every sort of fault within a minute, whatever the seed', () => {
    for (let seed = 0; seed < 200; seed++) {
      const sorts = new Set(planOf(seed, 60, 4).timeline.map(sortOf))
      expect([...sorts].sort()).toEqual([
        'blackhole',
        'crash after a claim',
        'crash restart',
        'crash, WAL writer frozen',
        'crossing',
        'cut after commit',
        'drain',
        'exhaust pools',
        'fast restart',
        'freeze',
        'half-open',
        'idle in transaction',
        'immediate restart',
        'kill',
        'kill HTTP server',
        'latency',
        'lock',
        'poison',
        'revoke',
        'terminate backends',
        'zombie',
      ])
    }
  })

  it('names only workers that there are, one of them an hour ahead and one behind', () => {
    for (let seed = 0; seed < 20; seed++) {
      const { timeline, workers } = planOf(seed, 120, 3)
      expect(workers).toHaveLength(3)
      expect(workers.slice(0, 2).map(({ skewMs }) => skewMs)).toEqual([3_600_000, -3_600_000])
      for (const fault of timeline) {
        if ('worker' in fault && fault.worker !== 'all') expect(fault.worker).toBeLessThan(3)
      }
    }
  })
})

describe('the numbers', () => {
  it('stay within their bounds and reach both of them', () => {
    const random = new Random(7)
    const seen = new Set(Array.from({ length: 1_000 }, () => random.whole(5, 7)))
    expect([...seen].sort()).toEqual([5, 6, 7])
  })

  it('of one part do not depend on how many another part took', () => {
    const one = new Random(9)
    const first = one.fork(1)
    const second = one.fork(2)
    const alone = [second.next(), second.next()]
    const again = new Random(9)
    for (const part = again.fork(1); part.next() > 0.01; );
    const other = again.fork(2)
    expect([other.next(), other.next()]).toEqual(alone)
    expect(first.next()).not.toBe(alone[0])
  })
})
