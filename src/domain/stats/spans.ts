/**
 * Charts of the last hour, day and week. The roll-up (sql/functions/feed/count_stats.sql) counts into rows of one minute, a quarter of an
 * hour and an hour, so a chart reads as many rows as it has points, however many jobs there were.
 */

export interface Span {
  /** Minutes that a point stands for: the width of the rows it is read from. */
  readonly stepMinutes: 1 | 15 | 60
  readonly points: number
}

export const SPANS = {
  '1h': { stepMinutes: 1, points: 60 },
  '24h': { stepMinutes: 15, points: 96 },
  '7d': { stepMinutes: 60, points: 168 },
} as const satisfies Record<string, Span>

export type SpanName = keyof typeof SPANS
export const SPAN_NAMES = Object.keys(SPANS) as [SpanName, ...SpanName[]]

/** How long rows of each width are stored: a chart of its span and the time it takes to look at an incident. */
export const ROW_HOURS = { 1: 3, 15: 48, 60: 192 } as const satisfies Record<Span['stepMinutes'], number>
