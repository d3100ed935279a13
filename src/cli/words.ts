/** How times and states are written for people. */
import type { Paint } from './terminal.js'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** 12 ms, 3.4 s, 45 s, 3 min, 2 h 5 min, 4 d */
export function span(ms: number): string {
  const least = Math.max(0, ms)
  if (least < SECOND) return `${Math.round(least)} ms`
  if (least < 10 * SECOND) return `${(least / SECOND).toFixed(1)} s`
  if (least < MINUTE) return `${Math.floor(least / SECOND)} s`
  if (least < HOUR) return `${Math.floor(least / MINUTE)} min`
  if (least < DAY) {
    const minutes = Math.floor((least % HOUR) / MINUTE)
    return `${Math.floor(least / HOUR)} h${minutes > 0 ? ` ${minutes} min` : ''}`
  }
  return `${Math.floor(least / DAY)} d`
}

/** 3 min ago, in 20 s. Clocks differ: what lies less than a second ahead is now. */
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

/** Only what somebody should look at is coloured. */
export function paintState(paint: Paint, state: string): (text: string) => string {
  if (state === 'succeeded') return paint.green
  if (state === 'failed' || state === 'errored') return paint.red
  if (['retrying', 'paused', 'parked', 'lost', 'canceled'].includes(state)) return paint.yellow
  return (text) => text
}

/** 1 job, 2 jobs */
export function many(n: number, word: string): string {
  return `${n} ${word}${n === 1 ? '' : 's'}`
}

/** Sentences carry timestamps, those of the database to the microsecond; people read a time of day. */
export function readable(sentence: string): string {
  return sentence.replace(
    /\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d(?::?\d\d)?)\b/g,
    (time) => moment(time.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')) ?? time,
  )
}
