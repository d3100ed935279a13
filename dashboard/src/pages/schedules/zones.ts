/** Times of a schedule in its zone and in that of the person, and the days on which clocks change. */

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-GB', {
      timeZone,
      weekday: 'short',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
    })
    formats.set(timeZone, format)
  }
  return format
}

function partsIn(at: number, timeZone: string): Record<string, string> {
  return Object.fromEntries(
    formatOf(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  )
}

export const localZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

export interface Wall {
  /** 2026-11-18 */
  readonly date: string
  /** Wed */
  readonly weekday: string
  /** 02:30, with seconds unless they are zero. */
  readonly time: string
}

export function wallTime(at: number, timeZone: string): Wall {
  const { year, month, day, weekday = '', hour, minute, second } = partsIn(at, timeZone)
  return {
    date: `${year}-${month}-${day}`,
    weekday,
    time: `${hour}:${minute}${second === '00' ? '' : `:${second}`}`,
  }
}

/** Minutes that a zone is ahead of UTC at an instant. */
export function offsetMinutes(at: number, timeZone: string): number {
  const { year, month, day, hour, minute, second } = partsIn(at, timeZone)
  const wall = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  )
  return Math.round((wall - Math.floor(at / 1000) * 1000) / 60_000)
}

const DAY = 24 * 60 * 60_000

/** How the clocks of the zone change on the day of an instant: minutes forward (60), back (−60), or 0. */
export function clockChange(at: number, timeZone: string): number {
  const { hour, minute } = partsIn(at, timeZone)
  const sinceMidnight = (Number(hour) * 60 + Number(minute)) * 60_000
  // Two hours beyond both ends: on such a day midnight itself may be an hour off.
  const before = at - sinceMidnight - 2 * 60 * 60_000
  const after = at - sinceMidnight + DAY + 2 * 60 * 60_000
  const change = offsetMinutes(after, timeZone) - offsetMinutes(before, timeZone)
  if (change === 0) return 0
  // The change lies between; it counts only if it falls on the same date.
  let [low, high] = [before, after]
  while (high - low > 60_000) {
    const middle = (low + high) / 2
    if (offsetMinutes(middle, timeZone) === offsetMinutes(before, timeZone)) low = middle
    else high = middle
  }
  return wallTime(high, timeZone).date === wallTime(at, timeZone).date ? change : 0
}

export function clockChangeWords(minutes: number): string {
  const by = Math.abs(minutes) === 60 ? '1 h' : `${Math.abs(minutes)} min`
  return minutes > 0 ? `clocks go forward ${by}` : `clocks go back ${by}`
}
