/** Parts of error groups that the list and the page of one share. */
import type { AnswerOf } from '../../api/contract.js'
import { link } from '../../state/url.js'
import { Time } from '../../ui/value.jsx'
import { Trend } from '../parts/trend.jsx'

export type ErrorGroup = AnswerOf<'GET /api/v1/errors'>['groups'][number]

/** So recent that it still goes on. */
const RECENT_MS = 15 * 60_000

export function isRecent({ last_seen_at: at }: ErrorGroup, now: number): boolean {
  return now - Date.parse(at) < RECENT_MS
}

export function GroupTrend({ group, height }: { readonly group: ErrorGroup; readonly height?: number }) {
  return (
    <Trend
      label={`Attempts with this error in each of the last 24 hours, ${group.count_24h} in all`}
      hours={group.trend.map((failed) => ({ attempts: failed, failed }))}
      height={height}
    />
  )
}

export function Kinds({ names }: { readonly names: readonly string[] }) {
  return (
    <>
      {names.map((name, n) => (
        <span key={name}>
          {n > 0 && ', '}
          <a href={link({ page: 'kind', name })}>{name}</a>
        </span>
      ))}
    </>
  )
}

export function Seen({ group }: { readonly group: ErrorGroup }) {
  return (
    <>
      first <Time at={group.first_seen_at} />
      {group.first_version !== null && group.first_version !== '' && (
        <>
          {' '}
          with <span class="mono">{group.first_version}</span>
        </>
      )}{' '}
      · last <Time at={group.last_seen_at} />
    </>
  )
}
