/**
 * Histograms of times with fixed buckets, so that minutes, queues and kinds can be added up and percentiles read from the sum. The bounds
 * grow by the root of two: a percentile is off by a fifth at most. The database counts into them (sql/functions/stats/time_bucket.sql).
 */

const OCTAVES = 27

/** Where buckets 1, 2, … begin, in milliseconds; bucket 0 is less than a millisecond. Times are whole milliseconds, so bounds are. */
export const TIME_BOUNDS: readonly number[] = [
  ...new Set(Array.from({ length: 2 * OCTAVES + 1 }, (_, half) => Math.round(2 ** (half / 2)))),
]

/** How many times are in each bucket, up to the last that has any. */
export type Histogram = readonly number[]

export interface Percentiles {
  readonly count: number
  readonly p50: number | null
  readonly p95: number | null
  readonly p99: number | null
}

export function sumOf(histograms: readonly Histogram[]): Histogram {
  const sum: number[] = []
  for (const histogram of histograms)
    for (const [bucket, times] of histogram.entries()) sum[bucket] = (sum[bucket] ?? 0) + times
  return sum
}

export function percentilesOf(histogram: Histogram): Percentiles {
  const count = histogram.reduce((sum, times) => sum + times, 0)
  const at = (share: number) => (count === 0 ? null : percentile(histogram, count, share))
  return { count, p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}

/** The time that this share of all times does not exceed, assuming that the times of a bucket are spread evenly in it. */
function percentile(histogram: Histogram, count: number, share: number): number {
  const rank = Math.max(1, Math.ceil(share * count))
  let before = 0
  for (const [bucket, times] of histogram.entries()) {
    if (times > 0 && before + times >= rank) {
      const [low, high] = boundsOf(bucket)
      return Math.round(low + ((rank - before - 0.5) / times) * (high - low))
    }
    before += times
  }
  return TIME_BOUNDS.at(-1) as number
}

/** The least and the greatest whole millisecond of a bucket; the last bucket has no end. */
function boundsOf(bucket: number): readonly [number, number] {
  const low = bucket === 0 ? 0 : (TIME_BOUNDS[bucket - 1] as number)
  const next = TIME_BOUNDS[bucket]
  return [low, next === undefined ? low : next - 1]
}
