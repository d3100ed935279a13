/** Zones whose clocks change twice in a year, the instants at which they do, found from Intl alone, and what we fire around them. */
import { parseExpression } from '../../../src/domain/schedule/expression.js'
import { nextSlot } from '../../../src/domain/schedule/slots.js'
import { zoneNamed } from '../../../src/domain/schedule/zone.js'

export const HOUR = 3_600_000
/** Around the switch, in both directions; every pattern has its tick there that matters. */
export const AROUND = 4 * HOUR

/** A year in which the zone has both switches; some have given them up since. */
export const ZONES: Readonly<Record<string, number>> = {
  'Africa/Cairo': 2024,
  'Africa/Casablanca': 2024,
  'America/Adak': 2024,
  'America/Anchorage': 2024,
  'America/Asuncion': 2023,
  'America/Chicago': 2024,
  'America/Denver': 2024,
  'America/Halifax': 2024,
  'America/Havana': 2024,
  'America/Los_Angeles': 2024,
  'America/Mexico_City': 2022,
  'America/Miquelon': 2024,
  'America/New_York': 2024,
  'America/Nuuk': 2022,
  'America/Port-au-Prince': 2024,
  'America/Santiago': 2024,
  'America/Sao_Paulo': 2018,
  'America/St_Johns': 2024,
  'America/Tijuana': 2024,
  'Antarctica/Troll': 2024,
  'Asia/Amman': 2021,
  'Asia/Beirut': 2024,
  'Asia/Damascus': 2021,
  'Asia/Gaza': 2022,
  'Asia/Jerusalem': 2024,
  'Asia/Tehran': 2022,
  'Atlantic/Azores': 2024,
  'Atlantic/Bermuda': 2024,
  'Australia/Adelaide': 2024,
  'Australia/Hobart': 2024,
  'Australia/Lord_Howe': 2024,
  'Australia/Sydney': 2024,
  'Europe/Athens': 2024,
  'Europe/Berlin': 2024,
  'Europe/Chisinau': 2024,
  'Europe/Dublin': 2024,
  'Europe/Helsinki': 2024,
  'Europe/Kyiv': 2024,
  'Europe/Lisbon': 2024,
  'Europe/London': 2024,
  'Europe/Madrid': 2024,
  'Europe/Paris': 2024,
  'Europe/Warsaw': 2024,
  'Pacific/Auckland': 2024,
  'Pacific/Chatham': 2024,
  'Pacific/Easter': 2024,
  'Pacific/Norfolk': 2024,
}

/** Some hours only, every hour, with seconds, with steps. */
const PATTERNS = [
  '30 2 * * *',
  '0 0 * * *',
  '30 0 * * *',
  '15 1 * * *',
  '0 3 * * *',
  '*/20 1-2 * * *',
  '10 */2 * * *',
  '0 */6 * * *',
  '30 59 23 * * *',
  '0 * * * *',
  '30 * * * *',
  '*/15 * * * *',
] as const

export interface Switch {
  readonly zone: string
  /** The first instant of the new time. */
  readonly at: number
  readonly kind: 'gap' | 'overlap'
  /** By how much the clocks were turned. */
  readonly byMs: number
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** What the clocks on the wall show, as a number in UTC. Another way than the code's: by Swedish dates, which are ISO's. */
export function wallAt(zone: string, instant: number): number {
  let format = formats.get(zone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
    formats.set(zone, format)
  }
  return Date.parse(`${format.format(instant).replace(' ', 'T')}Z`)
}

export function switchesOf(zone: string, year: number): Switch[] {
  const offset = (instant: number) => wallAt(zone, instant) - instant
  const found: Switch[] = []
  for (let day = Date.UTC(year, 0, 1); day < Date.UTC(year + 1, 0, 1); day += 24 * HOUR) {
    if (offset(day) === offset(day + 24 * HOUR)) continue
    let at = day
    for (const step of [HOUR, 60_000]) {
      while (offset(at + step) === offset(day)) at += step
    }
    at += 60_000
    const turned = offset(at) - offset(day)
    found.push({ zone, at, kind: turned > 0 ? 'gap' : 'overlap', byMs: Math.abs(turned) })
  }
  return found
}

export interface Row extends Switch {
  readonly pattern: string
  readonly ours: readonly number[]
}

/** Every pattern around every switch. */
export function goldenRows(): Row[] {
  return Object.entries(ZONES).flatMap(([zone, year]) =>
    switchesOf(zone, year).flatMap((turn) =>
      PATTERNS.map((pattern) => ({ ...turn, pattern, ours: within(turn, oursAfter(pattern, zone)) })),
    ),
  )
}

/** Ticks of `next` around a switch. */
export function within({ at }: Switch, next: (after: Date) => Date | null): number[] {
  const ticks: number[] = []
  for (
    let tick = next(new Date(at - AROUND));
    tick !== null && tick.getTime() < at + AROUND;
    tick = next(tick)
  ) {
    ticks.push(tick.getTime())
    if (ticks.length > 200) throw new Error('it does not get ahead')
  }
  return ticks
}

function oursAfter(pattern: string, zone: string): (after: Date) => Date {
  const [expression, known] = [parseExpression(pattern), zoneNamed(zone)]
  return (after) => nextSlot(expression, known, after)
}

export const isRhythm = (pattern: string) => pattern.split(' ').at(-4) === '*'
export const minutes = (ticks: readonly number[], at: number) => ticks.map((tick) => (tick - at) / 60_000)
