/** Parses the interval of `@every`: numbers with units, as in `1h30m`. A day is always 24 hours. */
import { badExpression } from './refusal.js'

const NS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  // The micro sign and the Greek letter mu look the same but are two characters.
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
  d: 86_400_000_000_000n,
}

const EVERY_MIN_MS = 1_000
/** Ten years, as for the delay of a job. */
const EVERY_MAX_MS = 3652.5 * 86_400_000

/** Returns milliseconds. `at` is the position of the text within the expression. */
export function parseDuration(text: string, at: number): number {
  if (text === '') throw badExpression(at, '@every needs a duration, like 30m, 1h30m or 7d')
  let total = 0n
  let read = 0
  while (read < text.length) {
    const rest = text.slice(read)
    const [all, whole = '', part = '', unit = ''] = /^(\d{1,18})(?:\.(\d{1,9}))?([a-zµμ]*)/iu.exec(rest) ?? []
    if (all === undefined)
      throw badExpression(at + read, `"${rest.slice(0, 20)}" is not a number with a unit`)
    const ns = NS[unit]
    if (ns === undefined) {
      const where = at + read + all.length - unit.length
      throw badExpression(
        where,
        `${unit === '' ? 'a unit is missing' : `"${unit}" is no unit`}; there are ns, us, µs, ms, s, m, h, d`,
      )
    }
    total += BigInt(whole) * ns + (part === '' ? 0n : (BigInt(part) * ns) / 10n ** BigInt(part.length))
    read += all.length
  }
  return checkLength(total, at)
}

function checkLength(ns: bigint, at: number): number {
  if (ns < BigInt(EVERY_MIN_MS) * 1_000_000n) throw badExpression(at, '@every must be at least 1s')
  if (ns > BigInt(EVERY_MAX_MS) * 1_000_000n)
    throw badExpression(at, '@every must not be more than ten years')
  if (ns % 1_000_000n !== 0n) throw badExpression(at, '@every must be a whole number of milliseconds')
  return Number(ns / 1_000_000n)
}
