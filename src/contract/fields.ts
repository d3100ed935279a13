/** What several schemas are made of. Bounds come from the table of limits. */
import { z } from 'zod'
import { UNSTORABLE } from '../domain/json.js'
import { LIMITS, type LimitName, NAME_PATTERN } from '../domain/limits.js'
import { END_STATES, LIVE_STATES } from '../domain/states.js'

/** A queue, kind, worker, tenant or key. */
export const name = z
  .string()
  .min(LIMITS.nameChars.min)
  .max(LIMITS.nameChars.hardMax)
  .regex(NAME_PATTERN, 'must consist of letters, digits and _ . : - only')

/** Text that Postgres can store, of a named limit. */
export function text(limit: LimitName) {
  const { min, hardMax } = LIMITS[limit]
  return z
    .string()
    .min(min)
    .refine((value) => [...value].length <= hardMax, `must have at most ${hardMax} characters`)
    .refine((value) => !UNSTORABLE.test(value), 'must not contain NUL or halves of surrogate pairs')
    .meta({ maxLength: hardMax })
}

/** A whole number of a named limit. */
export function whole(limit: LimitName) {
  return between(LIMITS[limit].min, LIMITS[limit].hardMax)
}

export function between(least: number, most: number) {
  return z.int().min(least).max(most)
}

export const jobId = between(1, Number.MAX_SAFE_INTEGER)

/** In addresses everything is text: a whole number written in digits, and nothing else that could be read as one. */
export function digits<T extends z.ZodType>(schema: T) {
  return z.preprocess(
    (said) => (typeof said === 'string' && /^-?\d{1,16}$/.test(said) ? Number(said) : said),
    schema,
  )
}

/** A time with its zone. */
export const instant = z.iso.datetime({ offset: true })

export const state = z.enum([...LIVE_STATES, ...END_STATES])

/** Why somebody does it, kept with the event. */
export const why = text('reasonChars').optional()

/** For commands that need nothing else; the whole body may be left out. */
export const reasonBody = z.strictObject({ reason: why }).optional()

export const pageQuery = {
  page_size: digits(whole('pageMax')).default(50),
  page_token: z.string().min(1).max(1000).optional(),
}

export const nextPageToken = z.string().nullable().meta({ description: 'null on the last page' })

/** Of a job, or whatever else the database numbers. */
export const idParams = z.strictObject({ id: digits(jobId) })
