/** Times, durations, counts and states formatted for people. */
import type { Paint } from './terminal.js'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** 12 ms, 3.4 s, 45 s, 3 min, 2 h 5 min, 4 d */
export function span(ms: number): string {
  const elapsed = Math.max(0, ms)
  if (elapsed < SECOND) return `${Math.round(elapsed)} ms`
  if (elapsed < 10 * SECOND) return `${(elapsed / SECOND).toFixed(1)} s`
  if (elapsed < MINUTE) return `${Math.floor(elapsed / SECOND)} s`
  if (elapsed < HOUR) return `${Math.floor(elapsed / MINUTE)} min`
  if (elapsed < DAY) {
    const minutes = Math.floor((elapsed % HOUR) / MINUTE)
    return `${Math.floor(elapsed / HOUR)} h${minutes > 0 ? ` ${minutes} min` : ''}`
  }
  return `${Math.floor(elapsed / DAY)} d`
}

/** 3 min ago, in 20 s. Clocks differ, so less than a second ahead counts as now. */
export function ago(time: Date | string | null | undefined, now = Date.now()): string {
  if (time === null || time === undefined) return ''
  const ms = now - new Date(time).getTime()
  if (ms < -SECOND) return `in ${span(-ms)}`
  return ms < SECOND ? 'now' : `${span(ms)} ago`
}

/** Local time with its zone, to the second. */
export function moment(time: Date | string | null | undefined): string | null {
  if (time === null || time === undefined) return null
  const date = new Date(time)
  const two = (n: number) => String(n).padStart(2, '0')
  const zone = -date.getTimezoneOffset()
  const offset =
    zone === 0
      ? 'Z'
      : `${zone < 0 ? '-' : '+'}${two(Math.floor(Math.abs(zone) / 60))}:${two(Math.abs(zone) % 60)}`
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}${offset}`
}

/** Colours only the states that need attention, and success. */
export function paintState(paint: Paint, state: string): (text: string) => string {
  if (state === 'succeeded') return paint.green
  if (state === 'failed' || state === 'errored') return paint.red
  if (['retrying', 'paused', 'parked', 'lost', 'canceled'].includes(state)) return paint.yellow
  return (text) => text
}

/** `running`, or `running (RUNNING)` where the preset of the queue has another state word. */
export function stateAndStatus({
  state,
  status,
}: {
  readonly state: string
  readonly status: string
}): string {
  return state === status ? state : `${state} (${status})`
}

/** 1 job, 2 jobs */
export function many(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`
}

/** Rewrites the timestamps in a sentence from the database, which have microseconds, as local times. */
export function readable(sentence: string): string {
  return sentence.replace(
    /\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d(?::?\d\d)?)\b/g,
    (time) => moment(time.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')) ?? time,
  )
}
