/**
 * Simulated kinds of jobs: each takes a given time and ends in a given way, and the same input always has the same
 * result. For demonstrations, load, and trying out what a queue does with failures.
 */
import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { invalidInput } from '../domain/errors/errors.js'
import { nearest } from '../domain/nearest.js'
import { checkName, checkWhole } from '../domain/validate.js'
import { Cancel, GiveUp } from '../worker/outcomes.js'
import { type DefinedJob, defineJob } from './define-job.js'

export interface WorkKind {
  readonly durationMs: number
  readonly outcome: 'success' | 'fail' | 'cancel'
  /** Of a failure: whether it is worth another try. */
  readonly retryable?: boolean
  /** Only the first attempts end like this; those after them succeed. */
  readonly attempts?: number
}

/** The answer of a kind: always the same for the same kind and input. */
export interface WorkResult {
  readonly kind: string
  readonly digest: string
}

export interface Catalogue {
  /** To be given to `holdfast({ jobs })`. */
  readonly jobs: readonly DefinedJob<string, unknown, unknown, WorkResult>[]
  readonly kinds: Readonly<Record<string, WorkKind>>
  /** The definition of a kind; a name that is not in the catalogue is refused with the nearest one. */
  job(kind: string): DefinedJob<string, unknown, unknown, WorkResult>
}

export function catalogue(kinds: Readonly<Record<string, WorkKind>>, queue = 'catalogue'): Catalogue {
  const jobs = new Map(
    Object.entries(kinds).map(([kind, work]) => [kind, pretend(kind, checkWork(kind, work), queue)]),
  )
  return {
    kinds,
    jobs: [...jobs.values()],
    job(kind) {
      const found = jobs.get(kind)
      if (found !== undefined) return found
      throw unknownKind(kind, [...jobs.keys()])
    },
  }
}

/** The kinds the demonstration runs. */
export const WORK_KINDS = {
  'send-email': { durationMs: 60, outcome: 'success' },
  'resize-image': { durationMs: 250, outcome: 'success' },
  'render-video': { durationMs: 2_000, outcome: 'success' },
  'charge-card': { durationMs: 150, outcome: 'fail', retryable: true, attempts: 1 },
  'call-partner': { durationMs: 300, outcome: 'fail', retryable: true },
  'parse-upload': { durationMs: 80, outcome: 'fail', retryable: false },
  'expired-offer': { durationMs: 40, outcome: 'cancel' },
} as const satisfies Record<string, WorkKind>

function pretend(
  kind: string,
  work: WorkKind,
  queue: string,
): DefinedJob<string, unknown, unknown, WorkResult> {
  return defineJob({
    kind,
    queue,
    async handler(ctx, input): Promise<WorkResult> {
      await wait(work.durationMs, undefined, { signal: ctx.signal })
      if (ctx.attempt > (work.attempts ?? Number.POSITIVE_INFINITY)) return resultOf(kind, input)
      if (work.outcome === 'cancel') throw new Cancel(`${kind} ends in a cancellation`)
      if (work.outcome === 'fail') {
        if (work.retryable === false) throw new GiveUp(`${kind} fails for good`)
        throw new Error(`${kind} fails`)
      }
      return resultOf(kind, input)
    },
  })
}

function resultOf(kind: string, input: unknown): WorkResult {
  const digest = createHash('sha256')
    .update(`${kind}\n${JSON.stringify(sorted(input))}`)
    .digest('hex')
  return { kind, digest: digest.slice(0, 16) }
}

/** The database may hand out the fields of an object in another order than they came in. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return fields.map(([name, field]) => [name, sorted(field)])
}

function checkWork(kind: string, work: WorkKind): WorkKind {
  checkName(kind, '/kind')
  if (!['success', 'fail', 'cancel'].includes(work.outcome)) {
    throw invalidInput(`/${kind}/outcome`, 'must be success, fail or cancel')
  }
  checkWhole(work.durationMs, `/${kind}/durationMs`, { min: 0, max: 2 ** 31 - 1 })
  return work
}

/** Refuses a kind that is not among those given, naming the nearest. */
function unknownKind(kind: string, known: readonly string[]) {
  const near = nearest(kind, known)
  const hint = near === null ? `there are ${known.slice(0, 20).join(', ')}` : `did you mean "${near}"?`
  return invalidInput('/kind', `there is no kind "${kind.slice(0, 100)}"; ${hint}`)
}
