/**
 * Plans what a scheduler does with a due schedule, as single steps: each step names the slot that it starts at and the slot that
 * follows, so that the database can refuse a step that another process has taken.
 *
 * Usually there is one slot, on time. A slot is late if it is older than `lateAfterMs`: no process was running to fire it. `skip` fires no late
 * slot; `latest` fires the newest one, unless a slot on time follows; `all` fires the newest `catchUpMax`. The others are recorded as missed,
 * all in one step. Slots up to `quietUntil`, while the schedule was paused, are recorded as skipped.
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
      /** Null: more than the count limit. */
      readonly slots: number | null
      readonly next: Date
    }

/** The count limit for slots that are recorded without being fired. */
export const SLOTS_COUNTED_MAX = 1_000
/** How many slots one plan fires at most; the next plan fires the rest. */
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

/** Late slots to fire, oldest first. */
function keptOf(due: Due, from: Date, late: Date, hasOnTime: boolean): Date[] {
  if (due.catchUp === 'skip') return []
  if (due.catchUp === 'all') return newest(due, from, late, due.catchUpMax)
  return hasOnTime ? [] : newest(due, from, late, 1)
}

/** The newest `count` slots before `before`. Searches backwards in growing steps, so that a long downtime costs little. */
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
