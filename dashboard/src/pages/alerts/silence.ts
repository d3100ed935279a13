/** Silencing an alert asks for how long and why. */
import { call } from '../../api/call.js'
import type { AnswerOf } from '../../api/contract.js'
import { ask } from '../../ui/ask.jsx'
import { act } from '../../ui/toast.jsx'

type Alert = AnswerOf<'GET /api/v1/alerts'>['alerts'][number]

const HOUR_MS = 3_600_000
const SPANS: readonly (readonly [string, string])[] = [
  [String(HOUR_MS), '1 hour'],
  [String(4 * HOUR_MS), '4 hours'],
  [String(24 * HOUR_MS), '1 day'],
  [String(7 * 24 * HOUR_MS), '1 week'],
]

/** Whether it was silenced. */
export async function silence(alert: Alert): Promise<boolean> {
  const answer = await ask({
    title: 'Silence the alert?',
    body: `${alert.summary} No webhook is called meanwhile.`,
    action: 'Silence',
    fields: [
      { name: 'for', label: 'For', choices: SPANS, initial: String(HOUR_MS) },
      { name: 'reason', label: 'Reason (optional)', maxLength: 500 },
    ],
  })
  if (answer === null) return false
  const body = { for_ms: Number(answer.for), ...(answer.reason ? { reason: answer.reason } : {}) }
  const done = await act('Alert silenced', () =>
    call('POST /api/v1/alerts/{id}/silence', { params: { id: alert.id }, body }),
  )
  return done !== undefined
}
