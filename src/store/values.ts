/** How values of Postgres become values of JavaScript, the same for both drivers. */
import pg from 'pg'

const INT8 = 20
const NUMERIC = 1700

/** Ids and counts are int8 in the database and safe as numbers here: they come from sequences, far below 2^53. */
const OURS: Record<number, (text: string) => unknown> = {
  [INT8]: Number,
  [NUMERIC]: Number,
  1016: (text) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number)),
}

export function parseValue(oid: number, format?: 'text' | 'binary'): unknown {
  return OURS[oid] ?? pg.types.getTypeParser(oid, format as 'text')
}

export const PGLITE_PARSERS = OURS as Record<number, (text: string) => unknown>
