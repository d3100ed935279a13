/** Why a schedule has not fired, or when it will: sentences for people, each with a code for programs. Empty never. */
import type { ScheduleFields } from './definition.js'

export interface ScheduleFacts extends Pick<ScheduleFields, 'enabled' | 'expression' | 'timeZone'> {
  readonly pausedAt: Date | null
  readonly pausedBy: string | null
  readonly pauseNote: string | null
  readonly windowSince: Date | null
  readonly windowUntil: Date | null
  readonly windowBy: string | null
  readonly windowNote: string | null
  readonly nextRunAt: Date
  readonly lateMs: number
  readonly waitingSlot: Date | null
}

export interface FiringFacts {
  readonly outcome: string
  readonly slot: Date
  readonly lastSlot: Date
  readonly slots: number | null
  readonly jobId: number | null
  readonly note: string | null
}

export interface ScheduleReason {
  readonly code: string
  /** It fires no more until somebody does something. */
  readonly blocking: boolean
  readonly sentence: string
  readonly data: Readonly<Record<string, unknown>>
}

/** `lateAfterMs`: how late a firing may be before it is a sign that nobody fires. */
export function explainSchedule(
  facts: ScheduleFacts,
  last: FiringFacts | undefined,
  lateAfterMs: number,
): ScheduleReason[] {
  const reasons = [...held(facts), ...waiting(facts)]
  if (facts.lateMs > lateAfterMs) reasons.push(overdue(facts))
  if (last !== undefined) reasons.push(...lastly(last))
  if (!reasons.some(({ blocking }) => blocking) && facts.lateMs <= lateAfterMs)
    reasons.unshift(
      because('not_due', false, `It fires next at ${when(facts.nextRunAt)}.`, { at: facts.nextRunAt }),
    )
  return reasons
}

function held(facts: ScheduleFacts): ScheduleReason[] {
  const reasons: ScheduleReason[] = []
  if (!facts.enabled) reasons.push(because('disabled', true, 'It is disabled; enable it to let it fire.'))
  if (facts.pausedAt !== null) {
    const said = `It was paused${by(facts.pausedBy)} at ${when(facts.pausedAt)}${note(facts.pauseNote)}.`
    reasons.push(because('paused', true, said, { since: facts.pausedAt, by: facts.pausedBy }))
  }
  if (facts.windowSince !== null) {
    const until = facts.windowUntil === null ? 'until it is lifted' : `until ${when(facts.windowUntil)}`
    const said = `A maintenance window${by(facts.windowBy)} holds all schedules of the tenant since ${when(facts.windowSince)}, ${until}${note(facts.windowNote)}.`
    reasons.push(because('maintenance', true, said, { since: facts.windowSince, until: facts.windowUntil }))
  }
  return reasons
}

function waiting({ waitingSlot }: ScheduleFacts): ScheduleReason[] {
  if (waitingSlot === null) return []
  const said = `The firing of ${when(waitingSlot)} waits for the job of an earlier one to end.`
  return [because('waiting', false, said, { slot: waitingSlot })]
}

function overdue({ nextRunAt, lateMs }: ScheduleFacts): ScheduleReason {
  const said = `Its slot of ${when(nextRunAt)} is ${Math.round(lateMs / 1000)} s late and nobody has fired it: no process does the upkeep, or the database keeps it from firing. Start a worker or a server, and look at its log.`
  return because('overdue', true, said, { at: nextRunAt, lateMs })
}

function lastly({ outcome, slot, lastSlot, slots, jobId, note: why }: FiringFacts): ScheduleReason[] {
  const data = { slot, lastSlot, slots, jobId }
  switch (outcome) {
    case 'deduplicated':
      return [
        because(
          'deduplicated',
          false,
          `At ${when(slot)} its subject had a live job already, ${jobId}; none was made.`,
          data,
        ),
      ]
    case 'skipped':
    case 'missed': {
      const many =
        slots === 1
          ? `Its slot of ${when(slot)} was`
          : `${slots ?? 'Many'} slots from ${when(slot)} to ${when(lastSlot)} were`
      const nobody = outcome === 'missed' ? ': nobody was there to fire them in time' : ''
      return [because(outcome, false, `${many} ${outcome}${nobody}${note(why)}.`, data)]
    }
    default:
      return []
  }
}

function because(
  code: string,
  blocking: boolean,
  sentence: string,
  data: Record<string, unknown> = {},
): ScheduleReason {
  return { code, blocking, sentence, data }
}

const when = (at: Date): string => at.toISOString().replace('.000Z', 'Z')
const by = (who: string | null): string => (who === null ? '' : ` by ${who}`)
const note = (text: string | null): string => (text === null || text === '' ? '' : `: ${text}`)
