/** Points of a series with how much of each the roll-up has counted. Pure. */
interface Counted<P> {
  readonly points: readonly P[]
  /** Null: everything. */
  readonly counted_to: string | null
  readonly step_ms: number
}

interface CountedPoint<P> {
  readonly point: P
  readonly at: number
  /** What a count of this point is multiplied with. */
  readonly perMinute: number
}

const MINUTE = 60_000

/**
 * The last point is under way: its counts are of the time that has passed, or they would look like a fall. It is not left out, because a
 * point of a week is hours long and the trouble is in the last one. Less than a minute says nothing.
 */
export function countedPoints<P extends { readonly at: string }>(of: Counted<P>): CountedPoint<P>[] {
  const end = of.counted_to === null ? Number.POSITIVE_INFINITY : Date.parse(of.counted_to)
  return of.points.flatMap((point) => {
    const at = Date.parse(point.at)
    const counted = Math.min(of.step_ms, end - at)
    return counted < Math.min(MINUTE, of.step_ms) ? [] : [{ point, at, perMinute: MINUTE / counted }]
  })
}
