/**
 * The problems that need an operator. The database finds the facts (sql/functions/stats/problems.sql); this
 * table has the severity, the sentences and the actions of each type. A sentence names the thing, the number
 * and since when; `next` states what happens if no one acts.
 */
import { type AlertFacts, alertSentence } from '../alerts.js'

export const PROBLEM_TYPES = [
  'failing_kind',
  'no_worker',
  'blocked_target',
  'oldest_ready',
  'late_schedule',
  'paused_queue',
  'stuck_upkeep',
  'alert',
] as const
export type ProblemType = (typeof PROBLEM_TYPES)[number]

/** The most severe first. critical: jobs fail or stand still now; warning: they will, or an operator chose it. */
export const PROBLEM_SEVERITIES = ['critical', 'warning'] as const
export type ProblemSeverity = (typeof PROBLEM_SEVERITIES)[number]

export const SUBJECT_TYPES = ['queue', 'kind', 'target', 'schedule', 'chore', 'installation'] as const

export interface ProblemSubject {
  readonly type: (typeof SUBJECT_TYPES)[number]
  readonly name: string
  readonly queue: string | null
  readonly kind: string | null
  readonly jobId: number | null
}

export interface ProblemError {
  readonly fingerprint: string | null
  readonly message: string
  readonly firstVersion: string | null
}

/** What the database found. */
export interface ProblemFacts {
  readonly type: ProblemType
  readonly subject: ProblemSubject
  readonly since: Date | null
  readonly numbers: Readonly<Record<string, number>>
  readonly error: ProblemError | null
  readonly alertId: number | null
  /** Of an alert: its rule, value and threshold. Of a paused queue: who paused it and why. Of a chore: its error. */
  readonly data: Readonly<Record<string, unknown>>
}

export type ProblemAction =
  | {
      readonly type: 'call'
      readonly label: string
      readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
      readonly path: string
      readonly body: Record<string, unknown> | null
      readonly scope: 'operate' | 'admin'
    }
  | {
      readonly type: 'open'
      readonly label: string
      /** A page of the dashboard. */
      readonly page: string
      readonly params: Record<string, string>
    }

export interface OverviewProblem extends Omit<ProblemFacts, 'data'> {
  /** The same for as long as the problem lasts. */
  readonly id: string
  readonly severity: ProblemSeverity
  readonly text: string
  /** What happens if no one acts. */
  readonly next: string
  readonly actions: readonly ProblemAction[]
}

interface ProblemText {
  readonly severity: ProblemSeverity
  readonly text: string
  readonly next: string
  readonly actions: readonly ProblemAction[]
}

function nextRetry(inMs: number | undefined): string {
  if (inMs === undefined) return ''
  return inMs < 1_000 ? 'The next retry is due.' : `The next retry is in ${lasting(inMs)}.`
}

type Describe = (facts: ProblemFacts, now: Date) => ProblemText

const DESCRIBED: Readonly<Record<ProblemType, Describe>> = {
  failing_kind: ({ subject, numbers, error, since }, now) => ({
    severity: 'critical',
    text:
      `${subject.name} fails${sinceClock(since, now)}: ` +
      `${counted(numbers.with_error ?? numbers.failed, 'attempt')}${error === null ? '' : ` with “${short(error.message)}”`}.`,
    next: sentences(
      `${percent(numbers.failed_rate)} of its attempts in the last 10 minutes failed.`,
      error?.firstVersion ? `First seen with version ${error.firstVersion}.` : '',
      nextRetry(numbers.retry_in_ms),
    ),
    actions: [
      open(
        'See errors',
        'errors',
        error?.fingerprint ? { fingerprint: error.fingerprint } : { kind: subject.name },
      ),
      open('Open kind', 'kinds', { kind: subject.name }),
      ...(subject.queue === null ? [] : [pause(subject.queue)]),
    ],
  }),
  no_worker: ({ subject, numbers, since }, now) => ({
    severity: 'critical',
    text: `No worker serves the queue ${subject.name}: ${jobs(numbers)} ${numbers.ready === 1 ? 'waits' : 'wait'}, the oldest${forTime(since, now)}.`,
    next: 'They start when a worker of this queue does.',
    actions: [open('Open queue', 'queues', { queue: subject.name })],
  }),
  blocked_target: ({ subject, numbers, error, since }, now) => ({
    severity: 'critical',
    text: `Target ${subject.name} is blocked by job ${subject.jobId}${forTime(since, now)}${error === null ? '' : `: “${short(error.message)}”`}.`,
    next:
      (numbers.behind ?? 0) === 0
        ? 'New jobs of this target will wait until it is resumed, skipped or canceled.'
        : `${counted(numbers.behind, 'job')} ${numbers.behind === 1 ? 'waits' : 'wait'} behind it until it is resumed, skipped or canceled.`,
    actions: [
      command('Resume', `/api/v1/jobs/${subject.jobId}/resume`),
      command('Skip', `/api/v1/jobs/${subject.jobId}/skip`),
      open('Open job', 'job', { id: String(subject.jobId) }),
    ],
  }),
  oldest_ready: ({ subject, numbers, since }, now) => ({
    severity: 'warning',
    text: `A job of the queue ${subject.name} has been waiting${forTime(since, now)}; ${jobs(numbers)} ${numbers.ready === 1 ? 'is' : 'are'} ready.`,
    next: `${counted(numbers.slots, 'slot')} of live workers ${numbers.slots === 1 ? 'serves' : 'serve'} this queue; more workers shorten the wait.`,
    actions: [
      ...(subject.jobId === null ? [] : [open('Why', 'job', { id: String(subject.jobId) })]),
      open('Open queue', 'queues', { queue: subject.name }),
    ],
  }),
  late_schedule: ({ subject, since }, now) => ({
    severity: 'warning',
    text: `The schedule ${subject.name} is late${byTime(since, now)}.`,
    next: 'No process runs the scheduler, or firing it fails; the schedule says which. Its catch-up rule decides about missed slots.',
    actions: [
      command('Run now', `/api/v1/schedules/${encodeURIComponent(subject.name)}/run`),
      open('Open schedule', 'schedules', { schedule: subject.name }),
    ],
  }),
  paused_queue: ({ subject, numbers, since, data }, now) => ({
    severity: 'warning',
    text: `The queue ${subject.name} is paused${by(data.by)}${sinceClock(since, now)}${data.reason ? ` (${short(String(data.reason))})` : ''}, and ${jobs(numbers)} ${numbers.ready === 1 ? 'waits' : 'wait'}.`,
    next: 'No job of it starts until the queue is resumed.',
    actions: [
      command('Resume', `/api/v1/queues/${subject.name}/resume`),
      open('Open queue', 'queues', { queue: subject.name }),
    ],
  }),
  stuck_upkeep: ({ subject, error, since }, now) => ({
    severity: 'warning',
    text:
      subject.name === ''
        ? 'No process does upkeep for this database.'
        : error === null
          ? `The chore ${subject.name} last ran ${lasting(elapsed(since, now))} ago.`
          : `The chore ${subject.name} fails: “${short(error.message)}”.`,
    next: 'Leases, schedules, counts and retention depend on upkeep. Every process with workers or a server does it.',
    actions: [open('Open upkeep', 'upkeep', subject.name === '' ? {} : { chore: subject.name })],
  }),
  alert: ({ alertId, data }) => ({
    severity: 'warning',
    text: alertSentence(data as unknown as AlertFacts),
    next: 'The alert clears by itself when its cause is gone.',
    actions: [
      open('Open alert', 'alerts', { id: String(alertId) }),
      {
        type: 'call',
        label: 'Silence for 1 hour',
        method: 'POST',
        path: `/api/v1/alerts/${alertId}/silence`,
        body: { for_ms: 3_600_000 },
        scope: 'operate',
      },
    ],
  }),
}

/** The facts with sentences and actions, most severe first; of equals, the order of PROBLEM_TYPES, then the oldest. */
export function problemsOf(facts: readonly ProblemFacts[], now: Date): OverviewProblem[] {
  return facts
    .map((each) => {
      const { data: _data, ...rest } = each
      return { ...rest, ...DESCRIBED[each.type](each, now), id: idOf(each) }
    })
    .sort(
      (a, b) =>
        PROBLEM_SEVERITIES.indexOf(a.severity) - PROBLEM_SEVERITIES.indexOf(b.severity) ||
        PROBLEM_TYPES.indexOf(a.type) - PROBLEM_TYPES.indexOf(b.type) ||
        (a.since?.getTime() ?? 0) - (b.since?.getTime() ?? 0),
    )
}

function idOf({ type, subject, alertId }: ProblemFacts): string {
  return [type, ...(type === 'alert' ? [alertId] : [subject.queue, subject.name])]
    .filter((part) => part !== null && part !== '')
    .join(':')
}

function open(label: string, page: string, params: Record<string, string>): ProblemAction {
  return { type: 'open', label, page, params }
}

function command(label: string, path: string): ProblemAction {
  return { type: 'call', label, method: 'POST', path, body: null, scope: 'operate' }
}

function pause(queue: string): ProblemAction {
  return { ...command('Pause queue', `/api/v1/queues/${queue}/pause`), label: 'Pause queue' }
}

const MESSAGE_CHARS = 120

function short(message: string): string {
  const [line = ''] = message.split('\n')
  return line.length > MESSAGE_CHARS ? `${line.slice(0, MESSAGE_CHARS - 1)}…` : line
}

function sentences(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' ')
}

function counted(n: number | undefined, noun: string): string {
  return `${(n ?? 0).toLocaleString('en-US')} ${noun}${n === 1 ? '' : 's'}`
}

/** "1,000+ jobs" where counting stopped. */
function jobs({ ready = 0, ready_capped = 0 }: Readonly<Record<string, number>>): string {
  return ready_capped === 1 ? `${ready.toLocaleString('en-US')}+ jobs` : counted(ready, 'job')
}

function percent(share: number | undefined): string {
  return `${Math.round((share ?? 0) * 100)} %`
}

function by(who: unknown): string {
  return typeof who === 'string' && who !== '' ? ` by ${who}` : ''
}

/** Today as a time of the day, in UTC; before, with the date. */
function sinceClock(since: Date | null, now: Date): string {
  if (since === null) return ''
  const text = since.toISOString()
  const isToday = text.slice(0, 10) === now.toISOString().slice(0, 10)
  return ` since ${isToday ? '' : `${text.slice(0, 10)} `}${text.slice(11, 16)} UTC`
}

function forTime(since: Date | null, now: Date): string {
  return since === null ? '' : ` for ${lasting(elapsed(since, now))}`
}

function byTime(since: Date | null, now: Date): string {
  return since === null ? '' : ` by ${lasting(elapsed(since, now))}`
}

function elapsed(since: Date | null, now: Date): number {
  return since === null ? 0 : Math.max(0, now.getTime() - since.getTime())
}

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

function lasting(ms: number): string {
  if (ms < 2 * MINUTE_MS) return `${Math.round(ms / SECOND_MS)} s`
  if (ms < 2 * HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`
  return ms < 48 * HOUR_MS ? `${Math.floor(ms / HOUR_MS)} h` : `${Math.floor(ms / (24 * HOUR_MS))} days`
}
