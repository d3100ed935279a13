/** The expression of a schedule in words, for the shapes that people write; others stay as they are written. */

const NAMED: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@hourly': '0 * * * *',
}

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
]

/** "Every weekday at 09:00", "every 15 minutes". Null: too special for words. */
export function inWords(expression: string): string | null {
  const text = expression.trim()
  const every = /^@every\s+(\S+)$/i.exec(text)
  if (every !== null) return `Every ${durationWords(every[1] ?? '')}`
  const cron = NAMED[text.toLowerCase()] ?? text
  const fields = cron.split(/\s+/)
  const [second, minute, hour, day, month, weekday] = fields.length === 5 ? ['0', ...fields] : fields
  if (fields.length < 5 || fields.length > 6) return null
  const time = timeWords(second ?? '', minute ?? '', hour ?? '')
  const days = dayWords(day ?? '', weekday ?? '')
  const months = monthWords(month ?? '')
  if (time === null || days === null || months === null) return null
  const when = time.startsWith('at')
    ? `${days === '' ? 'every day' : days} ${time}`
    : `${time}${days === '' ? '' : `, ${days}`}`
  const sentence = months === '' ? when : `${when}, in ${months}`
  return sentence.charAt(0).toUpperCase() + sentence.slice(1)
}

const UNITS: Readonly<Record<string, string>> = {
  ms: 'millisecond',
  s: 'second',
  m: 'minute',
  h: 'hour',
  d: 'day',
}

/** 1h30m → "1 hour 30 minutes"; 1h → "hour". */
function durationWords(text: string): string {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)([a-zµ]+)/gi)]
  if (parts.length === 0 || parts.map(([all]) => all).join('') !== text) return text
  if (parts.length === 1 && parts[0]?.[1] === '1') return UNITS[parts[0][2] ?? ''] ?? text
  return parts.map(([, n = '', unit = '']) => `${n} ${UNITS[unit] ?? unit}${n === '1' ? '' : 's'}`).join(' ')
}

const isNumber = (text: string) => /^\d+$/.test(text)
const isAny = (text: string) => text === '*' || text === '?'
const two = (text: string) => text.padStart(2, '0')

function timeWords(second: string, minute: string, hour: string): string | null {
  const step = (text: string) => /^(?:\*|0)\/(\d+)$/.exec(text)?.[1]
  const each = (n: string, unit: string) => (n === '1' ? `every ${unit}` : `every ${n} ${unit}s`)
  const seconds = step(second) ?? (second === '*' ? '1' : undefined)
  if (seconds !== undefined) return isAny(minute) && isAny(hour) ? each(seconds, 'second') : null
  if (!isNumber(second)) return null
  const at = Number(second) === 0 ? '' : `:${two(second)}`
  const hours = hour.split(',')
  const minutes = step(minute) ?? (minute === '*' ? '1' : undefined)
  if (minutes !== undefined) {
    if (at !== '') return null
    const span = /^(\d+)-(\d+)$/.exec(hour)
    if (isAny(hour)) return each(minutes, 'minute')
    return span === null
      ? null
      : `${each(minutes, 'minute')} from ${two(span[1] ?? '')}:00 to ${two(span[2] ?? '')}:59`
  }
  const list = minute.split(',')
  if (!list.every(isNumber)) return null
  if (hours.every(isNumber) && list.length * hours.length <= 6)
    return `at ${listed(hours.flatMap((h) => list.map((m) => `${two(h)}:${two(m)}${at}`)))}`
  const past = listed(list.map((m) => `:${two(m)}${at}`))
  if (isAny(hour)) return list.join() === '0' && at === '' ? 'every hour' : `every hour at ${past}`
  const hourStep = step(hour)
  if (hourStep !== undefined)
    return `${each(hourStep, 'hour')}${list.join() === '0' && at === '' ? '' : ` at ${past}`}`
  const span = /^(\d+)-(\d+)$/.exec(hour)
  return span === null || list.length > 1
    ? null
    : `every hour from ${two(span[1] ?? '')}:${two(list[0] ?? '')} to ${two(span[2] ?? '')}:${two(list[0] ?? '')}`
}

function dayWords(day: string, weekday: string): string | null {
  if (isAny(day) && isAny(weekday)) return ''
  if (isAny(day)) return weekdayWords(weekday)
  if (!isAny(weekday)) return null
  if (day === 'L') return 'on the last day of the month'
  if (day === 'LW') return 'on the last weekday of the month'
  const days = day.split(',')
  return days.every(isNumber) ? `on the ${listed(days.map(ordinal))} of the month` : null
}

function weekdayWords(weekday: string): string | null {
  const nth = /^(\w+)#([1-5])$/.exec(weekday)
  if (nth !== null) {
    const name = dayName(nth[1] ?? '')
    return name === null ? null : `on the ${ordinal(nth[2] ?? '')} ${name} of the month`
  }
  const last = /^(\w+)L$/i.exec(weekday)
  if (last !== null) {
    const name = dayName(last[1] ?? '')
    return name === null ? null : `on the last ${name} of the month`
  }
  const span = /^(\w+)-(\w+)$/.exec(weekday)
  if (span !== null) {
    const [from, to] = [dayName(span[1] ?? ''), dayName(span[2] ?? '')]
    if (from === null || to === null) return null
    return from === 'Monday' && to === 'Friday' ? 'every weekday' : `from ${from} to ${to}`
  }
  const names = weekday.split(',').map(dayName)
  return names.every((each) => each !== null) ? `every ${listed(names as string[])}` : null
}

function dayName(text: string): string | null {
  if (isNumber(text)) return DAYS[Number(text) % 7] ?? null
  return DAYS.find((name) => name.slice(0, 3).toLowerCase() === text.toLowerCase()) ?? null
}

function monthWords(month: string): string | null {
  if (isAny(month)) return ''
  const names = month
    .split(',')
    .map((text) =>
      isNumber(text)
        ? MONTHS[Number(text) - 1]
        : MONTHS.find((name) => name.slice(0, 3).toLowerCase() === text.toLowerCase()),
    )
  return names.every((each) => each !== undefined) ? listed(names as string[]) : null
}

function ordinal(text: string): string {
  const n = Number(text)
  const ending =
    n % 10 === 1 && n !== 11 ? 'st' : n % 10 === 2 && n !== 12 ? 'nd' : n % 10 === 3 && n !== 13 ? 'rd' : 'th'
  return `${n}${ending}`
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
