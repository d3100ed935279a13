import { expect, it } from 'vitest'
import { linesOf } from '../../dashboard/src/pages/job/log-lines.js'
import type { Attempt, Job } from '../../dashboard/src/pages/job/timeline.js'

const job = {
  ...{ created_at: '2030-01-01T00:00:00Z', created_by: 'ada', finished_at: null, attempt: 2 },
  ...{ claimed_at: '2030-01-01T00:00:10Z', lease_owner: 'w-1' },
} as Job
const logged = (id: number, attempt: number, text: string) => ({
  ...{ id, type: 'logged', job_ids: [7], actor: null, reason: null, data: { attempt, text } },
  at: '2030-01-01T00:00:14Z',
})
const ended = (log_excerpt: string | null) =>
  ({
    ...{ attempt: 1, outcome: 'lost', moved_to: 'queued', error_message: null, reason: null, worker: 'w-1' },
    ...{ claimed_at: '2030-01-01T00:00:05Z', finished_at: '2030-01-01T00:00:09Z', log_excerpt },
  }) as Attempt

it('lines of a running attempt stand at their own time, the newest first', () => {
  const text =
    '2030-01-01T00:00:11.000Z info one\n2030-01-01T00:00:12.000Z warn two\n2030-01-01T00:00:12.000Z info three'
  const lines = linesOf(job, [logged(1, 2, text)], []).map(({ at, text }) => [at, text])
  expect(lines.slice(0, 4)).toEqual([
    ['2030-01-01T00:00:12.000Z', 'three'],
    ['2030-01-01T00:00:12.000Z', 'warn two'],
    ['2030-01-01T00:00:11.000Z', 'one'],
    ['2030-01-01T00:00:10Z', 'attempt 2'],
  ])
})

it('the log of an ended attempt takes the place of its lines; of a lost one the lines are all there is', () => {
  const events = [logged(1, 1, 'before the end')]
  const texts = (attempt: Attempt) => linesOf(job, events, [attempt]).map(({ text }) => text)
  expect(texts(ended('the whole log'))).not.toContain('before the end')
  expect(texts(ended(null))).toContain('before the end')
})
