// Reads and writes the files in bench/results: JSON with one line for each sample, so that a new measurement is a readable change.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** Values that fit are on one line. */
const LINE_MAX = 120
/** suite → cells → cell → samples → contender: below that, a sample is always one line. */
const DEPTH_MAX = 5

/** Undefined if the suite has not been measured. */
export function readResults(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
}

export function writeResults(path, results) {
  writeFileSync(path, `${format(results)}\n`)
}

function format(value, depth = 0) {
  const line = JSON.stringify(value)
  if (typeof value !== 'object' || value === null || depth >= DEPTH_MAX) return line
  if (depth > 0 && line.length <= LINE_MAX) return line
  const inner = ' '.repeat(depth + 1)
  const outer = ' '.repeat(depth)
  if (Array.isArray(value)) {
    const entries = value.map((entry) => `${inner}${format(entry, depth + 1)}`)
    return `[\n${entries.join(',\n')}\n${outer}]`
  }
  // Undefined fields are left out, as JSON.stringify does.
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  const entries = fields.map(
    ([name, field]) => `${inner}${JSON.stringify(name)}: ${format(field, depth + 1)}`,
  )
  return `{\n${entries.join(',\n')}\n${outer}}`
}
