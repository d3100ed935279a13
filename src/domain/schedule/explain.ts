/** Explains why a schedule has not fired, or when it will: sentences for people, each with a code for programs. There is always one. */
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

/** The facts about a schedule that are not its own fields. */
export interface Surroundings {
  /** Its latest firings, newest first. */
  readonly recent: readonly FiringFacts[]
  /** How late a firing may be before it shows that no process fires schedules. */
  readonly lateAfterMs: number
  /** The last scheduler pass on any node; undefined: there was none yet. */
  readonly look: { readonly at: Date; readonly node: string; readonly error: string | null } | undefined
  /** Undefined: there is no queue with that name. */
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
  /** It does not fire again until an operator acts. */
  readonly blocking: boolean
  readonly sentence: string
  readonly data: Readonly<Record<string, unknown>>
}

/** How often nodes record a scheduler pass. */
const RECORDED_EVERY_MS = 60_000

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
    const sentence = `It was paused${by(facts.pausedBy)} at ${when(facts.pausedAt)}${note(facts.pauseNote)}.`
    const data = { since: facts.pausedAt, by: facts.pausedBy, note: facts.pauseNote }
    reasons.push(because('paused', true, sentence, data))
  }
  if (facts.windowSince !== null) {
    const { windowSince: since, windowUntil: until, windowBy, windowNote } = facts
    const end = until === null ? 'until it is lifted' : `until ${when(until)}`
    const sentence = `A maintenance window${by(windowBy)} holds all schedules of the tenant since ${when(since)}, ${end}${note(windowNote)}.`
    reasons.push(because('maintenance', true, sentence, { since, until, by: windowBy, note: windowNote }))
  }
  return reasons
}

/** A newer version may have stored an expression that this one cannot parse. */
function unreadable({ expression, timeZone }: ScheduleFacts): ScheduleReason[] {
  try {
    parseExpression(expression)
    zoneNamed(timeZone)
    return []
  } catch (error) {
    const { message } = error as Error
    const sentence = `This version cannot read when it fires: ${ended(message)} Change it, or fire it with the version that made it.`
    return [because('unreadable', true, sentence, { expression, timeZone, problem: message })]
  }
}

function overdue({ nextRunAt, lateMs, now }: ScheduleFacts, around: Surroundings): ScheduleReason[] {
  const sentence = `Its slot of ${when(nextRunAt)} is ${Math.round(lateMs / 1000)} s late and no process has fired it.`
  const late = because('overdue', true, sentence, { at: nextRunAt, lateMs })
  const { look, lateAfterMs } = around
  const start =
    'Every worker and server looks while it runs: start one, `holdfast worker` or `holdfast server`.'
  if (look === undefined)
    return [
      late,
      because('upkeep_asleep', true, `No process has run the scheduler yet. ${start}`, { lastRunAt: null }),
    ]
  const data = { lastRunAt: look.at, node: look.node }
  if (now.getTime() - look.at.getTime() > lateAfterMs + RECORDED_EVERY_MS)
    return [
      late,
      because(
        'upkeep_asleep',
        true,
        `No process has run the scheduler since ${when(look.at)} on ${look.node}. ${start}`,
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
      const missed = `: no process ran to fire ${one ? 'it' : 'them'} in time, and ${CATCH_UP[facts.catchUp](facts.catchUpMax)}`
      const sentence = `${subject} ${outcome}${outcome === 'missed' ? missed : note(why)}.`
      return [because(outcome, false, sentence, data)]
    }
    default:
      return []
  }
}

const CATCH_UP = {
  skip: () => 'catch-up "skip" makes up for none',
  latest: () => 'catch-up "latest" makes up for the newest only',
  all: (max: number) => `catch-up "all" makes up for the newest ${max} only`,
} satisfies Record<ScheduleFields['catchUp'], (max: number) => string>

/** Slots that were recorded as missed when the newest slot was due: that one fired, but they did not. */
function madeUpFor([newest, ...before]: readonly FiringFacts[]): FiringFacts[] {
  if (newest === undefined) return []
  return before.filter(({ outcome, firedAt }) => outcome === 'missed' && firedAt >= newest.slot)
}

/** A missing or paused queue does not stop firings; their jobs wait in it. */
function whereJobsGo(
  { queue: name, lastRunAt }: ScheduleFacts,
  queue: Surroundings['queue'],
): ScheduleReason[] {
  if (queue === undefined) {
    // The first job creates its queue, so a missing queue is no problem.
    if (lastRunAt === null) return []
    return [
      because('queue_gone', false, `Its queue ${name} is gone; the next job makes it anew.`, { queue: name }),
    ]
  }
  const { pausedAt, pausedBy, pauseReason } = queue
  if (pausedAt === null) return []
  const sentence = `Its jobs are made and wait: the queue ${name} was paused${by(pausedBy)} at ${when(pausedAt)}${note(pauseReason)}.`
  return [
    because('queue_paused', false, sentence, {
      queue: name,
      since: pausedAt,
      by: pausedBy,
      reason: pauseReason,
    }),
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
