// The one place that decides whether a cell holds. Everything is judged by the median over the rounds of a ratio taken
// within each round: the two sides of a ratio ran within a minute of each other, so a slow hour of the machine cancels out.

export function median(numbers) {
  if (numbers.length === 0) return null
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

export function percentile(numbers, share) {
  if (numbers.length === 0) return null
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)]
}

/** min and max of the samples: with the median, all that is said about their spread. */
export function spread(numbers) {
  return numbers.length === 0 ? null : { min: Math.min(...numbers), max: Math.max(...numbers) }
}

/** The ratio of each round in which both sides have a sample. */
export function ratiosOf(ours, theirs) {
  return ours.flatMap((sample, round) =>
    sample && theirs[round] ? [{ round, ratio: sample.rate / theirs[round].rate }] : [],
  )
}

/**
 * A cell holds when its ratio reaches the bar, every further condition (`also`) holds, and it was measured often enough.
 * A side that could not run is a cell that does not hold, with the reason.
 */
export function judge({ ratios, bar, also = [], roundsWanted, problem }) {
  const ratio = median(ratios)
  const reasons = []
  if (problem) reasons.push(problem)
  if (!problem && ratio === null) reasons.push('nothing was measured')
  if (ratio !== null && ratios.length < roundsWanted)
    reasons.push(`only ${ratios.length} of ${roundsWanted} rounds fitted into the budget`)
  if (ratio !== null && ratio < bar) reasons.push(`ratio ${ratio.toFixed(2)} is under ${bar}`)
  for (const condition of also) if (!reaches(condition)) reasons.push(missed(condition))
  return { ratio, spread: spread(ratios), holds: reasons.length === 0, reasons }
}

/** A number with a limit it must not pass. */
export function reaches({ value, atMost }) {
  return typeof value === 'number' && value <= atMost
}

function missed({ what, value, atMost }) {
  return value === null
    ? `${what}: not measured`
    : `${what} is ${Number(value.toPrecision(3))}, over ${atMost}`
}
