/** Why a schedule has not fired, or when it will: sentences for people, each with a code for programs. Empty never. */
import type { ScheduleFields } from './definition.js'
import { parseExpression } from './expression.js'
import { zoneNamed } from './zone.js'

export interface ScheduleFacts
  extends Pick<ScheduleFields, 'enabled' | 'expression' | 'timeZone' | 'queue' | 'catchUp' | 'catchUpMax'> {
  readonly pausedAt: Date | null
  readonly pausedBy: string | null
  readonly pauseNote: string | null
  readonly windowSince: Date | null
  readonly windowUntil: Date | null
  readonly windowBy: string | null
  readonly windowNote: string | null
  readonly nextRunAt: Date
  readonly lastRunAt: Date | null
  readonly lateMs: number
  readonly waitingSlot: Date | null
  readonly now: Date
}

export interface FiringFacts {
  readonly outcome: string
  readonly slot: Date
  readonly lastSlot: Date
  readonly slots: number | null
  readonly firedAt: Date
  readonly jobId: number | null
  readonly note: string | null
}

/** What is around it. */
export interface Surroundings {
  /** Its latest firings, the newest first. */
  readonly recent: readonly FiringFacts[]
  /** How late a firing may be before it is a sign that nobody fires. */
  readonly lateAfterMs: number
  /** The last look for what is due, on whichever node; undefined: nobody has looked yet. */
  readonly look: { readonly at: Date; readonly node: string; readonly error: string | null } | undefined
  /** Undefined: there is none of that name. */
  readonly queue:
    | {
        readonly pausedAt: Date | null
        readonly pausedBy: string | null
        readonly pauseReason: string | null
      }
    | undefined
}

export interface ScheduleReason {
  readonly code: string
  /** It fires no more until somebody does something. */
  readonly blocking: boolean
  readonly sentence: string
  readonly data: Readonly<Record<string, unknown>>
}

/** Nodes that look say so this often. */
const SAID_EVERY_MS = 60_000

export function explainSchedule(facts: ScheduleFacts, around: Surroundings): ScheduleReason[] {
  const { recent, lateAfterMs } = around
  const late = facts.lateMs > lateAfterMs
  const blocking = [...held(facts), ...unreadable(facts), ...(late ? overdue(facts, around) : [])]
  const [newest] = recent
  return [
    ...blocking,
    ...(blocking.length === 0 ? [upcoming(facts)] : []),
    ...waiting(facts, recent),
    ...(newest === undefined ? [] : lastly(newest, facts)),
    ...madeUpFor(recent).flatMap((missed) => lastly(missed, facts)),
    ...whereJobsGo(facts, around.queue),
  ]
}

function held(facts: ScheduleFacts): ScheduleReason[] {
  const reasons: ScheduleReason[] = []
  if (!facts.enabled) reasons.push(because('disabled', true, 'It is disabled; enable it to let it fire.'))
  if (facts.pausedAt !== null) {
    const said = `It was paused${by(facts.pausedBy)} at ${when(facts.pausedAt)}${note(facts.pauseNote)}.`
    const data = { since: facts.pausedAt, by: facts.pausedBy, note: facts.pauseNote }
    reasons.push(because('paused', true, said, data))
  }
  if (facts.windowSince !== null) {
    const { windowSince: since, windowUntil: until, windowBy, windowNote } = facts
    const end = until === null ? 'until it is lifted' : `until ${when(until)}`
    const said = `A maintenance window${by(windowBy)} holds all schedules of the tenant since ${when(since)}, ${end}${note(windowNote)}.`
    reasons.push(because('maintenance', true, said, { since, until, by: windowBy, note: windowNote }))
  }
  return reasons
}

/** As a newer version may have written it. */
function unreadable({ expression, timeZone }: ScheduleFacts): ScheduleReason[] {
  try {
    parseExpression(expression)
    zoneNamed(timeZone)
    return []
  } catch (error) {
    const { message } = error as Error
    const said = `This version cannot read when it fires: ${ended(message)} Change it, or fire it with the version that made it.`
    return [because('unreadable', true, said, { expression, timeZone, problem: message })]
  }
}

function overdue({ nextRunAt, lateMs, now }: ScheduleFacts, around: Surroundings): ScheduleReason[] {
  const said = `Its slot of ${when(nextRunAt)} is ${Math.round(lateMs / 1000)} s late and nobody has fired it.`
  const late = because('overdue', true, said, { at: nextRunAt, lateMs })
  const { look, lateAfterMs } = around
  const start =
    'Every worker and server looks while it runs: start one, `holdfast worker` or `holdfast server`.'
  if (look === undefined)
    return [
      late,
      because('upkeep_asleep', true, `Nobody has ever looked for what is due. ${start}`, { lastRunAt: null }),
    ]
  const data = { lastRunAt: look.at, node: look.node }
  if (now.getTime() - look.at.getTime() > lateAfterMs + SAID_EVERY_MS)
    return [
      late,
      because(
        'upkeep_asleep',
        true,
        `Nobody has looked for what is due since ${when(look.at)} on ${look.node}. ${start}`,
        data,
      ),
    ]
  const looked = `The last look for what is due, at ${when(look.at)} on ${look.node}, ${
    look.error === null ? 'did not fire it: the log there says why.' : `failed: ${ended(look.error)}`
  }`
  return [late, because('upkeep_failing', true, looked, { ...data, error: look.error })]
}

function upcoming({ nextRunAt, now }: ScheduleFacts): ScheduleReason {
  const data = { at: nextRunAt }
  if (nextRunAt > now) return because('not_due', false, `It fires next at ${when(nextRunAt)}.`, data)
  return because('due', false, `It is due since ${when(nextRunAt)} and fires with the next look.`, data)
}

function waiting({ waitingSlot: slot }: ScheduleFacts, recent: readonly FiringFacts[]): ScheduleReason[] {
  if (slot === null) return []
  const firing = recent.find((each) => each.outcome === 'waiting' && each.slot.getTime() === slot.getTime())
  const until = firing?.note ?? 'until the job of an earlier one has ended'
  return [because('waiting', false, `The firing of ${when(slot)} waits ${until}.`, { slot })]
}

function lastly(
  { outcome, slot, lastSlot, slots, jobId, note: why }: FiringFacts,
  facts: ScheduleFacts,
): ScheduleReason[] {
  const data = { slot, lastSlot, slots, jobId, note: why }
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
      const one = slots === 1
      const subject = one
        ? `Its slot of ${when(slot)} was`
        : `${slots ?? 'Many'} slots from ${when(slot)} to ${when(lastSlot)} were`
      const nobody = `: nobody was there to fire ${one ? 'it' : 'them'} in time, and ${CATCH_UP[facts.catchUp](facts.catchUpMax)}`
      const said = `${subject} ${outcome}${outcome === 'missed' ? nobody : note(why)}.`
      return [because(outcome, false, said, data)]
    }
    default:
      return []
  }
}

const CATCH_UP = {
  skip: () => 'catch-up "skip" makes up for none',
  latest: () => 'catch-up "latest" makes up for the newest only',
  all: (most: number) => `catch-up "all" makes up for the newest ${most} only`,
} satisfies Record<ScheduleFields['catchUp'], (most: number) => string>

/** Slots that were found missed when the newest one was due: it was fired, and that says nothing of them. */
function madeUpFor([newest, ...before]: readonly FiringFacts[]): FiringFacts[] {
  if (newest === undefined) return []
  return before.filter(({ outcome, firedAt }) => outcome === 'missed' && firedAt >= newest.slot)
}

/** A firing is made all the same, and its job waits there. */
function whereJobsGo(
  { queue: name, lastRunAt }: ScheduleFacts,
  queue: Surroundings['queue'],
): ScheduleReason[] {
  if (queue === undefined) {
    // The first job of a queue makes it, so that there is none yet is nothing to tell.
    if (lastRunAt === null) return []
    return [
      because('queue_gone', false, `Its queue ${name} is gone; the next job makes it anew.`, { queue: name }),
    ]
  }
  const { pausedAt, pausedBy, pauseReason } = queue
  if (pausedAt === null) return []
  const said = `Its jobs are made and wait: the queue ${name} was paused${by(pausedBy)} at ${when(pausedAt)}${note(pauseReason)}.`
  return [
    because('queue_paused', false, said, { queue: name, since: pausedAt, by: pausedBy, reason: pauseReason }),
  ]
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
const ended = (text: string): string => text.replace(/[.\s]*$/, '.')
const by = (who: string | null): string => (who === null ? '' : ` by ${who}`)
const note = (text: string | null): string => (text === null || text === '' ? '' : `: ${text}`)
