/** The story of a job on one axis. */
import { expect, it } from 'vitest'
import {
  type Attempt,
  type Bar,
  type Job,
  pathOf,
  placed,
  storyOf,
} from '../../dashboard/src/pages/job/timeline.js'

const START = Date.parse('2026-11-17T12:00:00Z')
const at = (sec: number) => new Date(START + sec * 1000).toISOString()

function jobOf(fields: Partial<Job>): Job {
  return {
    state: 'queued',
    attempt: 0,
    created_at: at(0),
    claimed_at: null,
    finished_at: null,
    ...fields,
  } as Job
}

function attemptOf(attempt: number, from: number, to: number, fields: Partial<Attempt> = {}): Attempt {
  return {
    ...{ attempt, worker: 'w-1', claimed_at: at(from), started_at: at(from), finished_at: at(to) },
    ...{ outcome: 'failed', moved_to: 'retrying', final: false, reason: null },
    ...fields,
  } as Attempt
}

const shown = ({ label, look, from, to, open }: Bar) =>
  `${label} (${look}) ${(from - START) / 1000}–${open ? 'now' : (to - START) / 1000}`

it('waits and attempts follow each other without gaps', () => {
  const job = jobOf({ state: 'succeeded', attempt: 3, finished_at: at(50) })
  const attempts = [
    attemptOf(3, 40, 50, { outcome: 'succeeded', moved_to: 'succeeded', final: true }),
    attemptOf(1, 2, 6),
    attemptOf(2, 30, 38, { outcome: 'lost', moved_to: 'queued' }),
  ]
  const story = storyOf(job, attempts, START)
  expect(story.bars.map(shown)).toEqual([
    'waited in line (wait) 0–2',
    'attempt 1 (bad) 2–6',
    'waited for the retry (wait) 6–30',
    'attempt 2 (lost) 30–38',
    'waited in line (wait) 38–40',
    'attempt 3 (good) 40–50',
  ])
  expect(story).toMatchObject({ attempts: 3, failed: 1, lost: 1 })
})

it('what lasts until now grows with the clock', () => {
  const running = jobOf({ state: 'running', attempt: 1, claimed_at: at(5), lease_owner: 'w-2' })
  expect(storyOf(running, [], START + 9_000).bars.map(shown)).toEqual([
    'waited in line (wait) 0–5',
    'attempt 1 (busy) 5–now',
  ])
  const held = jobOf({ state: 'errored', attempt: 1 })
  expect(storyOf(held, [attemptOf(1, 0, 4, { moved_to: 'errored' })], START + 9_000).bars.map(shown)).toEqual(
    ['attempt 1 (bad) 0–4', 'blocks its target (held) 4–now'],
  )
})

it('a job that was canceled while it waited has an end without an attempt', () => {
  const end = attemptOf(1, 0, 7, {
    claimed_at: null,
    started_at: null,
    outcome: 'canceled',
    moved_to: 'canceled',
  })
  const story = storyOf(jobOf({ state: 'canceled', finished_at: at(7) }), [end], START)
  expect(story.bars.map(shown)).toEqual(['waited in line (wait) 0–7', 'canceled (quiet) 7–7'])
  expect(story.attempts).toBe(0)
})

const bar = (seconds: number, number?: number): Bar => ({
  ...{ id: String(seconds), label: '', look: 'wait', from: 0, to: seconds * 1000, open: false },
  ...(number === undefined ? {} : { number }),
})

it('bars fill the axis, and the shortest can be seen', () => {
  const places = placed([bar(10), bar(0.001, 1), bar(10), bar(20, 2)])
  const end = places.at(-1)
  expect((end?.left ?? 0) + (end?.width ?? 0)).toBeCloseTo(1)
  expect(places[1]?.width).toBeGreaterThan(0.01)
  expect((places[3]?.width ?? 0) / (places[0]?.width ?? 1)).toBeGreaterThan(1.8)
  expect(places.some(({ broken }) => broken)).toBe(false)
})

it('a silence that hides the rest is broken, an attempt never is', () => {
  const places = placed([bar(3 * 86_400), bar(3, 1), bar(4), bar(2, 2)])
  expect(places.map(({ broken }) => broken)).toEqual([true, false, false, false])
  expect(places[1]?.width).toBeGreaterThan(0.2)
  expect(placed([bar(1), bar(86_400, 1)]).some(({ broken }) => broken)).toBe(false)
  expect(placed([bar(86_400)])[0]).toMatchObject({ left: 0, width: 1, broken: false })
})

it('many bars share the axis, and none leaves it', () => {
  const places = placed(Array.from({ length: 300 }, (_, n) => bar(n % 7, n % 2 === 0 ? n : undefined)))
  for (const { left, width } of places) expect(left + width).toBeLessThanOrEqual(1.000_001)
})

it('the path has the states in order, each repetition once', () => {
  const job = jobOf({ state: 'running', attempt: 2, claimed_at: at(40) })
  expect(pathOf(job, [attemptOf(1, 2, 6)])).toEqual([
    ...['queued', 'assigned', 'running', 'retrying', 'queued', 'assigned', 'running'],
  ])
  expect(pathOf(jobOf({ state: 'pending' }), [])).toEqual(['pending'])
})
