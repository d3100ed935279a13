/** What the overview writes about a problem. */
import { expect, it } from 'vitest'
import { type ProblemFacts, problemsOf } from '../../src/domain/stats/problems.js'

const NOW = new Date('2026-05-04T10:00:00Z')

const failing = (retryInMs: number): ProblemFacts => ({
  type: 'failing_kind',
  subject: { type: 'kind', name: 'charge-card', queue: 'billing', kind: 'charge-card', jobId: null },
  since: NOW,
  numbers: { failed: 5, attempts: 5, failed_rate: 1, retry_in_ms: retryInMs },
  error: null,
  alertId: null,
  data: {},
})

it.each([
  [-4_000, 'The next retry is due.'],
  [999, 'The next retry is due.'],
  [1_000, 'The next retry is in 1 s.'],
  [3_540_000, 'The next retry is in 59 min.'],
])('a retry %i ms from now', (retryInMs, sentence) => {
  expect(problemsOf([failing(retryInMs)], NOW)[0]?.next).toContain(sentence)
})
