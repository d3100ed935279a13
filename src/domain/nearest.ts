/** "Did you mean …?": suggests the known name nearest to a misspelt one, by edit distance. */
import { invalidInput } from './errors/errors.js'

/** The candidate with the smallest edit distance, or null if none is close enough. */
export function nearest(written: string, candidates: Iterable<string>): string | null {
  // A name longer than this is not a typing mistake, and the distance costs length × length.
  if (written.length > 100) return null
  const name = written.toLowerCase()
  // A third of the letters may differ: enough for a slip or a lost plural, too little to guess another name.
  let bestDistance = Math.ceil(name.length / 3) + 1
  let best: string | null = null
  for (const candidate of candidates) {
    const distance = editDistance(name, candidate.toLowerCase())
    if (distance < bestDistance) {
      bestDistance = distance
      best = candidate
    }
  }
  return best
}

/** Appended to a refusal: ` Did you mean "maxRetries"?`, or nothing. */
export function suggestion(written: string, candidates: Iterable<string>): string {
  const found = nearest(written, candidates)
  return found === null ? '' : ` Did you mean "${found}"?`
}

/** A misspelt field would silently do nothing. */
export function refuseUnknown(given: object, known: readonly string[], path = ''): void {
  for (const name of Object.keys(given)) {
    if (!known.includes(name))
      throw invalidInput(`${path}/${name.slice(0, NAME_SHOWN_MAX)}`, unknownField(name, known))
  }
}

const FIELDS_LISTED_MAX = 40
const NAME_SHOWN_MAX = 100

/** For an unknown field: suggests the nearest name, or lists the known ones. */
export function unknownField(name: string, known: readonly string[]): string {
  const shown = `the field "${name.slice(0, NAME_SHOWN_MAX)}" is unknown.`
  const hint = suggestion(name, known)
  if (hint !== '') return `${shown}${hint}`
  const isListed = known.length > 0 && known.length <= FIELDS_LISTED_MAX
  return `${shown} Remove it${isListed ? `, or use one of: ${known.join(', ')}` : ''}`
}

/** Levenshtein distance, one row at a time. */
function editDistance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const substitution = (above[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1)
      const removal = (above[column] ?? 0) + 1
      const addition = (current[column - 1] ?? 0) + 1
      current.push(Math.min(substitution, removal, addition))
    }
    above = current
  }
  return above[b.length] ?? 0
}
