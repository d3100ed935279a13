/** How values of Postgres become values of JavaScript, the same for both drivers. */
import pg from 'pg'

const INT8 = 20
const NUMERIC = 1700
const TIMESTAMPTZ = 1184

/** Ids and counts are int8 in the database and safe as numbers here: they come from sequences, far below 2^53, and leases end there. */
const OURS: Record<number, (text: string) => unknown> = {
  [INT8]: Number,
  [NUMERIC]: Number,
  [TIMESTAMPTZ]: instant,
  1016: (text) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number)),
}

const parseInstant = pg.types.getTypeParser(TIMESTAMPTZ, 'text') as (text: string) => unknown

/**
 * The form a server that keeps UTC sends, `2026-01-31 12:34:56.789012+00`, read by its places: a tenth of what the driver's parser
 * takes, and every claimed job carries one. Any other form (infinity, another zone, a year of five digits) is left to the driver.
 */
function instant(text: string): unknown {
  const { length } = text
  if (length < 22 || length > 29 || text.charCodeAt(4) !== DASH || !text.endsWith('+00'))
    return parseInstant(text)
  const at = (from: number, to: number) => Number(text.slice(from, to))
  const ms = length === 22 ? 0 : Number(`0${text.slice(19, -3)}`) * 1000
  return new Date(Date.UTC(at(0, 4), at(5, 7) - 1, at(8, 10), at(11, 13), at(14, 16), at(17, 19), ms))
}

const DASH = '-'.charCodeAt(0)

/** A list as Postgres writes it. The driver quotes and escapes every element, which numbers do not need. */
export function listOf(numbers: readonly (number | null)[]): string {
  return `{${numbers.map((number) => number ?? 'NULL').join(',')}}`
}

export function parseValue(oid: number, format?: 'text' | 'binary'): unknown {
  return OURS[oid] ?? pg.types.getTypeParser(oid, format as 'text')
}

export const PGLITE_PARSERS = OURS as Record<number, (text: string) => unknown>
