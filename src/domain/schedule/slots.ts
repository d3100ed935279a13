/**
 * The slots of a schedule: the instants at which it fires.
 *
 * When clocks change, there are two cases. An expression for every hour (`*`) fires at each real occurrence: twice in the hour that
 * happens twice, and not at all in the hour that does not exist. An expression for certain hours names times of day: each fires once,
 * at its first occurrence if there are two, and at the first instant after the gap if there is none. Several times in one gap are
 * one slot.
 *
 * `@every` counts from the previous slot and ignores the zone.
 */
import { nextTime } from './calendar.js'
import type { Cron, Expression } from './expression.js'
import { resolveWall, transition, type Zone } from './zone.js'

/** The next slot after `after`. `@every` counts from `previous`: the previous slot, or when the schedule was created. */
export function nextSlot(expression: Expression, zone: Zone, after: Date, previous: Date = after): Date {
  if (expression.kind === 'every') {
    const { everyMs } = expression
    const since = Math.max(0, after.getTime() - previous.getTime())
    return new Date(previous.getTime() + (Math.floor(since / everyMs) + 1) * everyMs)
  }
  const next = isRhythm(expression)
    ? nextTick(expression, zone, after.getTime())
    : nextTimeOfDay(expression, zone, after.getTime())
  return new Date(next)
}

/** The next `count` slots. */
export function nextSlots(
  expression: Expression,
  zone: Zone,
  after: Date,
  count: number,
  previous?: Date,
): Date[] {
  const slots: Date[] = []
  for (let slot = nextSlot(expression, zone, after, previous); slots.length < count; ) {
    slots.push(slot)
    slot = nextSlot(expression, zone, slot, slot)
  }
  return slots
}

function isRhythm({ hour }: Cron): boolean {
  return hour.every
}

/** The order of local times is the order of their instants, so the first one that is late enough is the next slot. */
function nextTimeOfDay(cron: Cron, zone: Zone, after: number): number {
  let from = wallAfter(zone, after)
  for (;;) {
    const wall = upcoming(cron, from)
    const { instant } = resolveWall(zone, wall)
    if (instant > after) return instant
    // The clocks have gone back between the two: every local time until then has already fired.
    const offset = zone.offsetAt(instant)
    from = offset === zone.offsetAt(after) ? wall + 1000 : transition(zone, instant, after) + offset
  }
}

/** Clocks have never gone back by more than this since 1970. */
const REPEATED_MS = 3 * 3_600_000

function nextTick(cron: Cron, zone: Zone, after: number): number {
  let offset = zone.offsetAt(after)
  let from = wallAfter(zone, after)
  let start = after
  for (;;) {
    const wall = upcoming(cron, from)
    const tick = wall - offset
    // A repeated local time is earlier on the clock but later in time, so look for a clock change first.
    const horizon = Math.min(tick, start + REPEATED_MS)
    if (zone.offsetAt(horizon) !== offset) {
      start = transition(zone, start, horizon)
      if (tick < start) return tick
      offset = zone.offsetAt(start)
      from = start + offset
      continue
    }
    if (tick <= horizon) return tick
    const { instant, inGap } = resolveWall(zone, wall)
    if (!inGap) return instant
    start = instant
    offset = zone.offsetAt(start)
    from = start + offset
  }
}

function wallAfter(zone: Zone, instant: number): number {
  return Math.floor(instant / 1000) * 1000 + 1000 + zone.offsetAt(instant)
}

function upcoming(cron: Cron, from: number): number {
  const wall = nextTime(cron, from)
  // An expression that never happens is refused when it is parsed; this one only happens too far in the future.
  if (wall === undefined) throw new RangeError('the expression has no time within forty years')
  return wall
}
