/** The next firings in the time of the person, as everywhere, and in that of the schedule, with the days on which clocks change. */
import { now } from '../../state/clock.js'
import { Badge } from '../../ui/badge.jsx'
import { formatDate, formatRelative } from '../../ui/format.js'
import './schedules.css'
import { clockChange, clockChangeWords, localZone, wallTime } from './zones.js'

interface SlotsProps {
  readonly slots: readonly string[]
  readonly timeZone: string
}

export function Slots({ slots, timeZone }: SlotsProps) {
  if (slots.length === 0) return <p class="soft">It does not fire again.</p>
  const yours = localZone()
  return (
    <table class="slots" aria-label="Next firings">
      <thead>
        <tr>
          <th scope="col">{yours === timeZone ? timeZone : `your time, ${yours}`}</th>
          {yours !== timeZone && <th scope="col">{timeZone}</th>}
          <th scope="col">in</th>
        </tr>
      </thead>
      <tbody>
        {slots.map((slot) => {
          const at = Date.parse(slot)
          const change = clockChange(at, timeZone)
          const changed = change !== 0 && (
            <>
              {' '}
              <Badge tone="time">{clockChangeWords(change)}</Badge>
            </>
          )
          return (
            <tr key={slot}>
              <td>
                <Wall at={at} zone={yours} />
                {yours === timeZone && changed}
              </td>
              {yours !== timeZone && (
                <td class="soft">
                  <Wall at={at} zone={timeZone} />
                  {changed}
                </td>
              )}
              <td class="num">{formatRelative(at, now.value).replace(/^in /, '')}</td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

function Wall({ at, zone }: { readonly at: number; readonly zone: string }) {
  const { weekday, date, time } = wallTime(at, zone)
  return (
    <time class="digits" title={`${date} ${time}`} dateTime={new Date(at).toISOString()}>
      {weekday} <span class="nowrap">{formatDate(date)}</span> <b>{time}</b>
    </time>
  )
}
