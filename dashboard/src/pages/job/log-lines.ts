/** Events of a job and the log of its attempts as lines, newest first. Pure. */
import type { AnswerOf } from '../../api/contract.js'
import { writeJson } from '../../api/json.js'
import type { Attempt, Job } from './timeline.js'

type JobEvent = AnswerOf<'GET /api/v1/jobs/{id}/events'>['events'][number]

export interface LogLine {
  readonly id: string
  /** Null: a line of a log, which has no time of its own. */
  readonly at: string | null
  readonly text: string
  readonly detail: string
  readonly tone: '' | 'soft' | 'bad' | 'good'
}

const DETAIL_CHARS = 200

interface Group {
  readonly at: number
  /** Among those of the same time. */
  readonly order: number
  readonly lines: readonly LogLine[]
}

/** The lines of a log stay in their order, below the line of the end of their attempt. */
export function linesOf(job: Job, events: readonly JobEvent[], attempts: readonly Attempt[]): LogLine[] {
  const groups: Group[] = [
    group(job.created_at, 0, [
      { id: 'enqueued', at: job.created_at, text: `enqueued by ${job.created_by}`, detail: '', tone: 'soft' },
    ]),
    ...events.flatMap((event) =>
      event.type === 'logged' ? tailOf(event, attempts) : [group(event.at, 3, [lineOfEvent(event)])],
    ),
    ...attempts.flatMap(groupsOf),
  ]
  if (job.finished_at === null && job.claimed_at !== null && job.lease_owner !== null)
    groups.push(group(job.claimed_at, 1, [begins(job.attempt, job.claimed_at, job.lease_owner)]))
  return groups.sort((a, b) => b.at - a.at || b.order - a.order).flatMap(({ lines }) => lines)
}

function group(at: string, order: number, lines: readonly LogLine[]): Group {
  return { at: Date.parse(at), order, lines }
}

function begins(attempt: number, at: string, worker: string | null): LogLine {
  return {
    id: `begin-${attempt}-${at}`,
    at,
    text: `attempt ${attempt}`,
    detail: `on ${worker ?? 'a worker'}`,
    tone: '',
  }
}

function lineOfEvent(event: JobEvent): LogLine {
  const by = event.actor === null ? '' : ` by ${event.actor}`
  return {
    id: `event-${event.id}`,
    at: event.at,
    text: `${event.type.replaceAll('_', ' ')}${by}`,
    detail: [event.reason ?? '', detailOf(event.data)].filter((each) => each !== '').join(' · '),
    tone: '',
  }
}

/** The worker writes the time and the level before the text. */
const LOGGED = /^(\d{4}-\d\d-\d\dT[\d:.]+Z) (?:(info|debug) )?(.*)$/

/** What the attempt has logged while it ran. Once its end has brought the whole log, that is shown instead. */
function tailOf({ id, at, data }: JobEvent, attempts: readonly Attempt[]): Group[] {
  const { attempt, text } = data as { readonly attempt: number; readonly text: string }
  if (attempts.some((ended) => ended.attempt === attempt && (ended.log_excerpt ?? '') !== '')) return []
  return text.split('\n').map((line, n) => {
    const [, time = null, , words = line] = LOGGED.exec(line) ?? []
    const shown: LogLine = { id: `logged-${id}-${n}`, at: time, text: words, detail: '', tone: 'soft' }
    // Of the same millisecond, the later line is above.
    return group(time ?? at, 2 + n / 1_000_000, [shown])
  })
}

const TONES: Partial<Record<Attempt['outcome'], LogLine['tone']>> = {
  succeeded: 'good',
  failed: 'bad',
  lost: 'bad',
}

function groupsOf(attempt: Attempt): Group[] {
  const { claimed_at, finished_at, outcome, log_excerpt } = attempt
  const id = `attempt-${attempt.attempt}-${finished_at}`
  const isRun = claimed_at !== null
  const end: LogLine = {
    id,
    at: finished_at,
    text: isRun ? `attempt ${attempt.attempt} ${outcome}` : attempt.moved_to,
    detail: attempt.error_message ?? attempt.reason ?? '',
    tone: TONES[outcome] ?? '',
  }
  const written = (log_excerpt ?? '').trimEnd()
  const log = (written === '' ? [] : written.split('\n')).map(
    (text, n): LogLine => ({ id: `${id}-${n}`, at: null, text, detail: '', tone: 'soft' }),
  )
  return [
    group(finished_at, 2, [end, ...log]),
    ...(isRun ? [group(claimed_at, 1, [begins(attempt.attempt, claimed_at, attempt.worker)])] : []),
  ]
}

function detailOf(data: unknown): string {
  if (data === null || data === undefined) return ''
  if (typeof data === 'object' && Object.keys(data).length === 0) return ''
  const text = writeJson(data)
  return text.length > DETAIL_CHARS ? `${text.slice(0, DETAIL_CHARS)}…` : text
}
