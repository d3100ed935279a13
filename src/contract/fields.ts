/** Schemas shared by several endpoints. Bounds come from domain/limits.ts. */
import { z } from 'zod'
import { UNSTORABLE } from '../domain/json.js'
import {
  LIMITS,
  type LimitName,
  NAME_PATTERN,
  SCHEDULE_NAME_PATTERN,
  SCHEDULE_NAME_PROBLEM,
} from '../domain/limits.js'
import { END_STATES, LIVE_STATES } from '../domain/states/states.js'

/** The name of a queue, kind, worker, tenant or key. */
export const name = z
  .string()
  .min(LIMITS.nameChars.min)
  .max(LIMITS.nameChars.hardMax)
  .regex(NAME_PATTERN, 'must consist of letters, digits and _ . : - only')

export const scheduleName = z
  .string()
  .min(LIMITS.nameChars.min)
  .max(LIMITS.nameChars.hardMax)
  .regex(SCHEDULE_NAME_PATTERN, SCHEDULE_NAME_PROBLEM)

/** Text that Postgres can store, up to a named limit. */
export function text(limit: LimitName) {
  const { min, hardMax } = LIMITS[limit]
  return z
    .string()
    .min(min)
    .refine((value) => [...value].length <= hardMax, `must have at most ${hardMax} characters`)
    .refine((value) => !UNSTORABLE.test(value), 'must not contain NUL or halves of surrogate pairs')
    .meta({ maxLength: hardMax })
}

/** A whole number within a named limit. */
export function whole(limit: LimitName) {
  return between(LIMITS[limit].min, LIMITS[limit].hardMax)
}

export function between(min: number, max: number) {
  return z.int().min(min).max(max)
}

export const jobId = between(1, Number.MAX_SAFE_INTEGER)

/** A whole number in a path or query, which is text: digits only. */
export function digits<T extends z.ZodType>(schema: T) {
  return z.preprocess(
    (value) => (typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value),
    schema,
  )
}

/** A time with a zone. */
export const instant = z.iso.datetime({ offset: true })

export const state = z.enum([...LIVE_STATES, ...END_STATES])

/** The state word of the preset of the job's queue; under `default` the state itself. */
export const status = z
  .string()
  .meta({ description: "The state word of the queue's preset, such as failed_retryable or PAUSED." })

/** Why the caller does it; stored with the event. */
export const why = text('reasonChars').optional()

/** For commands without other fields; the body is optional. */
export const reasonBody = z.strictObject({ reason: why }).optional()

export const pageQuery = {
  page_size: digits(whole('pageMax')).default(50),
  page_token: z.string().min(1).max(1000).optional(),
}

export const nextPageToken = z.string().nullable().meta({ description: 'Null on the last page.' })

/** The id of a job. */
export const idParams = z.strictObject({ id: digits(jobId) })

/** A count that stops at a bound. */
export const count = z
  .object({
    count: z.int(),
    capped: z.boolean().meta({ description: 'There may be more: counting stopped.' }),
  })
  .meta({ id: 'Count' })
