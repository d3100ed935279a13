/** Values as people read them, exact on hover: times, numbers, durations, sizes. */
import { now, zone } from '../state/clock.js'
import {
  formatBytes,
  formatCapped,
  formatClock,
  formatCompact,
  formatDuration,
  formatExact,
  formatNumber,
  formatRelative,
  formatShare,
} from './format.js'

type Instant = string | number | Date | null | undefined

function msOf(at: Instant): number {
  return at instanceof Date ? at.getTime() : typeof at === 'number' ? at : Date.parse(at ?? '')
}

interface TimeProps {
  readonly at: Instant
  /** `ago` ticks: "4 s ago". `clock`: 19:38, with the date unless it is today. `exact`: everything. `age`: "4 s". */
  readonly as?: 'ago' | 'age' | 'clock' | 'seconds' | 'exact'
  readonly none?: string
}

/** A time: relative by default, exact on hover, in the zone that the person chose. */
export function Time({ at, as = 'ago', none = '–' }: TimeProps) {
  const ms = msOf(at)
  if (!Number.isFinite(ms)) return <span class="faint">{none}</span>
  const exact = formatExact(ms, zone.value)
  const text =
    as === 'exact'
      ? exact
      : as === 'age'
        ? formatDuration(Math.max(0, Math.floor((now.value - ms) / 1000) * 1000)).replace('.0 s', ' s')
        : as === 'ago'
          ? formatRelative(ms, now.value)
          : formatClock(ms, now.value, zone.value, as === 'seconds')
  return (
    <time
      dateTime={new Date(ms).toISOString()}
      title={exact}
      class={as === 'exact' ? 'nowrap' : 'nowrap digits'}
    >
      {text}
    </time>
  )
}

interface NumProps {
  readonly value: number | null | undefined
  /** 1.42 M, exact on hover. */
  readonly compact?: boolean
  /** The count stopped here: shows "1,000+". */
  readonly atMost?: number
  /** The count stopped wherever it is: shows "37+". */
  readonly capped?: boolean
  readonly none?: string
}

export function Num({ value, compact = false, atMost, capped = false, none = '–' }: NumProps) {
  if (value === null || value === undefined) return <span class="faint">{none}</span>
  const exact = formatNumber(value)
  const text = compact ? formatCompact(value) : formatCapped(value, atMost)
  if (capped) return <span title={`at least ${exact}`}>{text.replace(/\+?$/, '+')}</span>
  return <span title={text === exact ? undefined : exact}>{text}</span>
}

export function Share({
  value,
  none = '–',
}: {
  readonly value: number | null | undefined
  readonly none?: string
}) {
  if (value === null || value === undefined) return <span class="faint">{none}</span>
  return <span title={`${value * 100} %`}>{formatShare(value)}</span>
}

export function Duration({
  ms,
  none = '–',
}: {
  readonly ms: number | null | undefined
  readonly none?: string
}) {
  if (ms === null || ms === undefined) return <span class="faint">{none}</span>
  return <span title={`${formatNumber(ms)} ms`}>{formatDuration(ms)}</span>
}

export function Bytes({
  value,
  none = '–',
}: {
  readonly value: number | null | undefined
  readonly none?: string
}) {
  if (value === null || value === undefined) return <span class="faint">{none}</span>
  return <span title={`${formatNumber(value)} bytes`}>{formatBytes(value)}</span>
}
