/** Words for the other fields of a schedule, and for what came of its slots. */
import type { AnswerOf } from '../../api/contract.js'
import type { Tone } from '../../ui/badge.jsx'
import { formatNumber } from '../../ui/format.js'

export type Schedule = AnswerOf<'GET /api/v1/schedules/{name}'>
export type Firing = AnswerOf<'GET /api/v1/schedules/{name}/history'>['firings'][number]

export const OVERLAP_WORDS: Record<Schedule['overlap'], string> = {
  allow: 'Creates another job',
  skip: 'Skips the slot',
  queue_one: 'Waits, one slot at most',
  cancel_old: 'Cancels the earlier job',
}

export const CATCH_UP_WORDS: Record<Schedule['catch_up'], string> = {
  skip: 'Are skipped',
  latest: 'The latest fires',
  all: 'All fire',
}

export function catchUpInWords({ catch_up: which, catch_up_max: most }: Schedule): string {
  return which === 'all' ? `All fire, the latest ${formatNumber(most)} at most` : CATCH_UP_WORDS[which]
}

export const OUTCOME: Record<Firing['outcome'], { readonly tone: Tone; readonly words: string }> = {
  created: { tone: 'good', words: 'created a job' },
  manual: { tone: 'good', words: 'run by a person' },
  deduplicated: { tone: 'quiet', words: 'a live job existed already' },
  waiting: { tone: 'time', words: 'waits for the earlier job' },
  skipped: { tone: 'time', words: 'skipped' },
  missed: { tone: 'bad', words: 'missed' },
}

/** A slot that is this late is worth a badge: firing itself takes a moment. */
const LATE_MS = 60_000

export const isLate = ({ late_ms: ms, enabled, paused_at: paused }: Schedule): boolean =>
  enabled && paused === null && ms > LATE_MS
