/**
 * Time zones, by Intl: the UTC offset at an instant, and the instant of a local time. A local time is a number as in calendar.ts.
 * When clocks go forward, some local times do not exist; when they go back, some happen twice.
 */

import { holdfastError } from '../errors/errors.js'
import { suggestion } from '../nearest.js'

export interface Zone {
  readonly name: string
  /** Milliseconds ahead of UTC. */
  offsetAt(instant: number): number
}

/** No zone has ever changed its clocks by more than a day, or twice within two days. */
const AROUND_MS = 86_400_000

const zones = new Map<string, Zone>()

export function zoneNamed(name: unknown): Zone {
  if (typeof name !== 'string') throw badZone('')
  let zone = zones.get(name)
  if (zone === undefined) {
    zone = makeZone(name)
    // About six hundred names exist, and each can be spelled in many cases, so the cache is bounded.
    if (zones.size < 2_000) zones.set(name, zone)
  }
  return zone
}

function makeZone(name: string): Zone {
  if (name === 'UTC') return { name, offsetAt: () => 0 }
  // An offset like "+01:00" is not a zone, and only newer engines accept it.
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{1,63}$/.test(name)) throw badZone(name)
  let format: Intl.DateTimeFormat
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    })
  } catch {
    throw badZone(name)
  }
  return { name, offsetAt: (instant) => wallIn(format, instant) - Math.floor(instant / 1000) * 1000 }
}

/** Parses `11/05/2023 A, 01:30:00`, with any separators. */
function wallIn(format: Intl.DateTimeFormat, instant: number): number {
  const [month, day, year, hour, minute, second] = (format.format(instant).match(/\d+/g) ?? []).map(Number)
  return Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second)
}

function badZone(name: string) {
  const guess = suggestion(name, Intl.supportedValuesOf('timeZone'))
  return holdfastError('invalid_input', {
    path: '/timeZone',
    problem: `there is no time zone "${name.slice(0, 64)}"; use a name like UTC or Europe/Berlin.${guess}`,
  })
}

export interface Resolved {
  /** The first instant with this local time; in a gap, the first instant after the gap. */
  readonly instant: number
  readonly inGap: boolean
}

export function resolveWall(zone: Zone, wall: number): Resolved {
  const before = zone.offsetAt(wall - AROUND_MS)
  const after = zone.offsetAt(wall + AROUND_MS)
  const instants = [wall - before, wall - after].filter(
    (instant) => instant + zone.offsetAt(instant) === wall,
  )
  if (instants.length > 0) return { instant: Math.min(...instants), inGap: false }
  return { instant: transition(zone, wall - AROUND_MS, wall + AROUND_MS), inGap: true }
}

/** The first instant after `from` with the offset of `to`; the offsets of the two must differ. */
export function transition(zone: Zone, from: number, to: number): number {
  const old = zone.offsetAt(from)
  let low = Math.floor(from / 1000)
  let high = Math.ceil(to / 1000)
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (zone.offsetAt(middle * 1000) === old) low = middle
    else high = middle
  }
  return high * 1000
}
