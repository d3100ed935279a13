/** Numbers, durations, sizes and times as text. Pure functions: the clock is a parameter. */

const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 })
const short = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2, minimumFractionDigits: 0 })
const tenths = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })
const three = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 })

/** 18,204, 28.8, 0.25: what is small keeps two digits of its fraction. */
export function formatNumber(value: number): string {
  const size = Math.abs(value)
  return (size >= 100 ? whole : size >= 10 ? tenths : short).format(value)
}

const UNITS: readonly [number, string][] = [
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e4, 'k'],
]

/** 1.42 M for tiles; exact on hover is the business of <Num>. */
export function formatCompact(value: number): string {
  for (const [size, unit] of UNITS) {
    if (Math.abs(value) >= size) return `${three.format(value / (unit === 'k' ? 1e3 : size))}\u202f${unit}`
  }
  return formatNumber(value)
}

/** 0.0312 → 3.1 %. */
export function formatShare(share: number): string {
  const percent = share * 100
  if (percent > 0 && percent < 0.1) return '<\u202f0.1\u202f%'
  if (percent > 99.9 && percent < 100) return '>\u202f99.9\u202f%'
  const digits = percent > 0 && percent < 10 ? 1 : percent > 90 && percent < 100 ? 1 : 0
  return `${percent.toFixed(digits)}\u202f%`
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Two units at most: 8 ms, 1.8 s, 42 s, 2 h 10 min, 3 d 4 h. */
export function formatDuration(ms: number): string {
  if (ms < 0) return `−${formatDuration(-ms)}`
  if (ms < 1) return ms === 0 ? '0 ms' : '<\u202f1 ms'
  if (ms < SECOND) return `${Math.round(ms)} ms`
  if (ms < 10 * SECOND) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`
  if (ms < 2 * MINUTE) return `${Math.floor(ms / SECOND)} s`
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`
  if (ms < DAY) return two(ms, HOUR, 'h', MINUTE, 'min')
  if (ms < 14 * DAY) return two(ms, DAY, 'd', HOUR, 'h')
  return `${whole.format(Math.floor(ms / DAY))} d`
}

function two(ms: number, large: number, unit: string, small: number, part: string): string {
  const rest = Math.floor((ms % large) / small)
  return `${Math.floor(ms / large)} ${unit}${rest === 0 ? '' : ` ${rest} ${part}`}`
}

/** "4 s ago", "in 2 h 10 min", "now". */
export function formatRelative(at: number, now: number): string {
  const ms = now - at
  if (Math.abs(ms) < SECOND) return 'now'
  const text = formatDuration(Math.floor(Math.abs(ms) / SECOND) * SECOND).replace(/\.0 s$/, ' s')
  return ms > 0 ? `${text} ago` : `in ${text}`
}

export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let size = bytes
  let unit = 0
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000
    unit++
  }
  return `${unit === 0 ? size : three.format(size)} ${units[unit]}`
}

/** A number whose name ends with its unit, such as ALERT_FOR_SEC, LEASE_SEC_DEFAULT or `seconds`. */
export function formatUnit(value: number, name: string): string {
  const unit =
    name
      .toLowerCase()
      .replace(/_default$/, '')
      .split('_')
      .at(-1) ?? ''
  // A setting is exact: 5 s, not 5.0 s as if measured.
  const duration = (ms: number) => formatDuration(ms).replace(/\.0 s$/, ' s')
  if (/^(sec|secs|seconds)$/.test(unit)) return duration(value * SECOND)
  if (unit === 'ms') return duration(value)
  if (/^(min|minutes)$/.test(unit)) return duration(value * MINUTE)
  if (unit === 'hours') return duration(value * HOUR)
  if (unit === 'days') return count(value, 'day')
  if (unit === 'bytes') return formatBytes(value)
  if (unit === 'percent') return `${formatNumber(value)}\u202f%`
  return formatNumber(value)
}

export type ZoneName = 'local' | 'utc'

/** 2026-11-17 19:38:54.123 UTC: exact, sortable by eye, with its zone. */
export function formatExact(at: number, zone: ZoneName): string {
  const date = new Date(at)
  if (zone === 'utc') return `${date.toISOString().slice(0, 23).replace('T', ' ')} UTC`
  const shifted = new Date(at - date.getTimezoneOffset() * MINUTE)
  return `${shifted.toISOString().slice(0, 23).replace('T', ' ')} ${offsetOf(date)}`
}

/** 19:38 today, "yesterday 19:38", "tomorrow 19:38", "3 Nov 19:38", and with the year in another one. */
export function formatClock(at: number, now: number, zone: ZoneName, seconds = false): string {
  const time = formatExact(at, zone).slice(11, seconds ? 19 : 16)
  const day = dayOf(at, zone)
  if (day === dayOf(now, zone)) return time
  if (day === dayOf(now - DAY, zone)) return `yesterday ${time}`
  if (day === dayOf(now + DAY, zone)) return `tomorrow ${time}`
  const isThisYear = day.slice(0, 4) === dayOf(now, zone).slice(0, 4)
  return `${formatDate(day)}${isThisYear ? '' : ` ${day.slice(0, 4)}`} ${time}`
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** 2026-11-17 as 17 Nov. */
export function formatDate(date: string): string {
  const [, month, day] = date.split('-')
  return `${Number(day)} ${MONTHS[Number(month) - 1]}`
}

/** Below a chart: 18:00, and the day where it begins. */
export function formatTick(at: number, zone: ZoneName): string {
  const time = formatExact(at, zone).slice(11, 16)
  return time === '00:00' ? formatDate(dayOf(at, zone)) : time
}

function dayOf(at: number, zone: ZoneName): string {
  return formatExact(at, zone).slice(0, 10)
}

function offsetOf(date: Date): string {
  const minutes = -date.getTimezoneOffset()
  const sign = minutes < 0 ? '−' : '+'
  const hours = Math.floor(Math.abs(minutes) / 60)
  return `${sign}${String(hours).padStart(2, '0')}:${String(Math.abs(minutes) % 60).padStart(2, '0')}`
}

/** "1 job", "3 jobs". */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${formatNumber(n)} ${n === 1 ? one : many}`
}

/** A count that stopped at a limit: "1,000+". */
export function formatCapped(n: number, atMost: number | undefined): string {
  return atMost !== undefined && n >= atMost ? `${formatNumber(atMost)}+` : formatNumber(n)
}
