/**
 * What a scheduler does with a schedule that is due, as steps it can take one by one: each step names the slot it begins at and the one that
 * follows, so the database can refuse a step that somebody else has taken.
 *
 * Usually it is one slot, on time. A slot is late when it is older than `lateAfterMs`: nobody was there to fire it. Of the late ones `skip`
 * fires none; `latest` fires the newest, if no slot on time follows it; `all` fires the newest `catchUpMax`. The others are passed as missed,
 * in one step however many they are. Slots up to `quietUntil`, when it was paused, are passed as skipped.
 */
import type { ScheduleFields } from './definition.js'
import type { Expression } from './expression.js'
import { nextSlot } from './slots.js'
import type { Zone } from './zone.js'

export interface Due extends Pick<ScheduleFields, 'catchUp' | 'catchUpMax'> {
  readonly expression: Expression
  readonly zone: Zone
  readonly nextSlot: Date
  readonly quietUntil: Date | null
  readonly now: Date
  readonly lateAfterMs: number
}

export type Step =
  | { readonly do: 'fire'; readonly slot: Date; readonly next: Date }
  | {
      readonly do: 'pass'
      readonly outcome: 'missed' | 'skipped'
      readonly slot: Date
      readonly last: Date
      /** Null: more than were counted. */
      readonly slots: number | null
      readonly next: Date
    }

/** A run of slots that are passed is counted up to here. */
export const SLOTS_COUNTED_MAX = 1_000
/** Slots fired in one plan; the rest is for the next. */
export const STEPS_MAX = 1_000

export function planDue(due: Due): Step[] {
  const steps: Step[] = []
  let from = due.nextSlot
  if (due.quietUntil !== null && from <= due.quietUntil) {
    const step = pass(due, 'skipped', from, after(due, due.quietUntil, from))
    steps.push(step)
    from = step.next
  }
  if (from > due.now) return steps
  const late = new Date(due.now.getTime() - due.lateAfterMs)
  if (from < late) {
    const onTime = atOrAfter(due, late, from)
    const kept = keptOf(due, from, late, onTime <= due.now)
    const begin = kept[0] ?? onTime
    if (begin > from) steps.push(pass(due, 'missed', from, begin))
    from = begin
  }
  for (let slot = from; slot <= due.now && steps.length < STEPS_MAX; ) {
    const next = after(due, slot, slot)
    steps.push({ do: 'fire', slot, next })
    slot = next
  }
  return steps
}

/** Late slots that are fired all the same, oldest first. */
function keptOf(due: Due, from: Date, late: Date, hasOnTime: boolean): Date[] {
  if (due.catchUp === 'skip') return []
  if (due.catchUp === 'all') return newest(due, from, late, due.catchUpMax)
  return hasOnTime ? [] : newest(due, from, late, 1)
}

/** The newest `count` slots before `before`; looks further and further back, so that a long absence costs little. */
function newest(due: Due, from: Date, before: Date, count: number): Date[] {
  const length = before.getTime() - from.getTime()
  for (let spanMs = 60_000; ; spanMs *= 4) {
    const start = spanMs >= length ? from : atOrAfter(due, new Date(before.getTime() - spanMs), from)
    const slots: Date[] = []
    for (let slot = start; slot < before; slot = after(due, slot, slot)) slots.push(slot)
    if (slots.length >= count || start === from) return slots.slice(-count)
  }
}

function pass(due: Due, outcome: 'missed' | 'skipped', slot: Date, next: Date): Step & { do: 'pass' } {
  let slots = 0
  let last = slot
  for (let each = slot; each < next && slots <= SLOTS_COUNTED_MAX; each = after(due, each, each)) {
    slots++
    last = each
  }
  if (slots <= SLOTS_COUNTED_MAX) return { do: 'pass', outcome, slot, last, slots, next }
  const [newestOne = slot] = newest(due, slot, next, 1)
  return { do: 'pass', outcome, slot, last: newestOne, slots: null, next }
}

function after({ expression, zone }: Due, instant: Date, previous: Date): Date {
  return nextSlot(expression, zone, instant, previous)
}

/** The first slot that is not before `instant`; `previous` is an earlier slot. */
function atOrAfter(due: Due, instant: Date, previous: Date): Date {
  return after(due, new Date(instant.getTime() - 1), previous)
}
