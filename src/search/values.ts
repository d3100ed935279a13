/** Values of a search that are not plain text: durations, times and numbers. Each reader returns undefined for text it cannot read. */

const UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

/** Longer ages would begin before the first time that the database knows. */
const DURATION_MAX_MS = 1_000 * 366 * 86_400_000

/** `90s`, `1h30m`, `2d` in ms. */
export function readDuration(text: string): number | undefined {
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d|w))+$/.test(text)) return undefined
  let sum = 0
  for (const [, amount = '', unit = ''] of text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhdw])/g))
    sum += Number(amount) * (UNITS_MS[unit] ?? 0)
  return sum <= DURATION_MAX_MS ? Math.round(sum) : undefined
}

export function writeDuration(ms: number): string {
  if (ms === 0) return '0s'
  let rest = ms
  let text = ''
  for (const unit of ['d', 'h', 'm', 's', 'ms']) {
    const size = UNITS_MS[unit] ?? 1
    const amount = Math.floor(rest / size)
    if (amount > 0) text += `${amount}${unit}`
    rest -= amount * size
  }
  return text
}

/** A written time stands for all of the unit it ends with: 2026-11 for the month, 2026-11-01 for the day. Without a zone it is UTC. */
export interface TimeSpan {
  readonly from: string
  /** Exclusive. */
  readonly to: string
}

const TIME =
  /^(\d{4})-(\d\d)(?:-(\d\d)(?:T(\d\d)(?::(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?)?(Z|[+-]\d\d:?\d\d)?)?)?$/

export function readTime(text: string): TimeSpan | undefined {
  const parts = TIME.exec(text.toUpperCase())
  if (parts === null) return undefined
  const [, year, month, day, hour, minute, second, fraction, zone] = parts
  const numbers = [
    Number(year),
    Number(month) - 1,
    Number(day ?? 1),
    Number(hour ?? 0),
    Number(minute ?? 0),
    Number(second ?? 0),
    Number((fraction ?? '').padEnd(3, '0')),
  ] as [number, number, number, number, number, number, number]
  // A day that does not exist, such as 2026-02-30, would become another one.
  const written = new Date(Date.UTC(...numbers))
  const fits =
    written.getUTCFullYear() === numbers[0] &&
    written.getUTCMonth() === numbers[1] &&
    written.getUTCDate() === numbers[2] &&
    written.getUTCHours() === numbers[3] &&
    written.getUTCMinutes() === numbers[4] &&
    written.getUTCSeconds() === numbers[5]
  if (!fits) return undefined
  const last = [year, month, day, hour, minute, second, fraction].findLastIndex((part) => part !== undefined)
  const next = numbers.map((number, part) => (part === last ? number + 1 : number)) as typeof numbers
  const shift = zoneMs(zone)
  if (shift === undefined) return undefined
  return { from: isoOf(Date.UTC(...numbers) - shift), to: isoOf(Date.UTC(...next) - shift) }
}

function zoneMs(zone: string | undefined): number | undefined {
  if (zone === undefined || zone === 'Z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(-2))
  if (hours > 14 || minutes > 59) return undefined
  return (zone.startsWith('-') ? -1 : 1) * (hours * 3_600_000 + minutes * 60_000)
}

/** The last time that ISO 8601 writes with four digits of the year: later ones would neither sort as text nor be read by the database. */
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

function isoOf(ms: number): string {
  return new Date(Math.min(ms, LAST_MS)).toISOString()
}

/** The shortest text that `readTime` reads as a span from this time. */
export function writeTimeFrom(iso: string): string {
  return iso.endsWith('T00:00:00.000Z') ? iso.slice(0, 10) : iso.replace('.000Z', 'Z').replace(':00Z', 'Z')
}

/** The shortest text that `readTime` reads as a span up to this time. */
export function writeTimeTo(iso: string): string {
  const ms = Date.parse(iso)
  if (iso.endsWith('T00:00:00.000Z')) return isoOf(ms - 86_400_000).slice(0, 10)
  if (iso.endsWith(':00.000Z')) return `${isoOf(ms - 60_000).slice(0, 16)}Z`
  return isoOf(ms - 1)
}

/** The text itself where a number of JavaScript could not hold all its digits. */
export function readNumber(text: string): number | string | undefined {
  if (!/^-?\d+(\.\d+)?$/.test(text) || !Number.isFinite(Number(text))) return undefined
  return text.replace(/^-?0*|\./g, '').length > 15 ? text : Number(text)
}

/** A whole number of at least zero, small enough to be exact. */
export function readWhole(text: string): number | undefined {
  const number = /^\d{1,16}$/.test(text) ? Number(text) : undefined
  return number !== undefined && Number.isSafeInteger(number) ? number : undefined
}
