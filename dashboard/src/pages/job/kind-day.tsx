/** The last day of the kind of a job, as a small panel: does only this job fail, or do others of its kind? */
import { call } from '../../api/call.js'
import type { AnswerOf } from '../../api/contract.js'
import { useResource } from '../../api/resource.js'
import { zone } from '../../state/clock.js'
import { link } from '../../state/url.js'
import { count, formatClock, formatDuration, formatShare } from '../../ui/format.js'
import { Loaded } from '../../ui/loaded.jsx'
import { Panel } from '../../ui/panel.jsx'
import { Bars } from '../../ui/strip.jsx'

type Series = AnswerOf<'GET /api/v1/stats/series'>

const BARS = 24

export function KindDay({ kind }: { readonly kind: string }) {
  const series = useResource(
    (signal) => call('GET /api/v1/stats/series', { query: { span: '24h', kind }, signal }),
    [kind],
    { live: false },
  )
  // A server that does not count by kind yet.
  if (series.failure.value?.status === 404) return null
  return (
    <Panel
      title={
        <>
          <a href={link({ page: 'kind', name: kind })}>{kind}</a>, last 24 h
        </>
      }
    >
      <Loaded of={series} rows={2}>
        {(data) => <Day data={data} kind={kind} />}
      </Loaded>
    </Panel>
  )
}

function Day({ data, kind }: { readonly data: Series; readonly kind: string }) {
  const { total } = data
  if (total.attempts === 0) return <p class="soft">No attempt of this kind ended in the last day.</p>
  const { p50 } = total.run
  return (
    <>
      <Bars label={`Attempts of ${kind} in the last 24 hours`} bars={barsOf(data)} />
      <p class="soft kind-day">
        {[
          count(total.attempts, 'attempt'),
          ...(total.failed_rate === null ? [] : [`${formatShare(1 - total.failed_rate)} succeeded`]),
          ...(p50 === null ? [] : [`p50 ${formatDuration(p50)}`]),
        ].map((part, n) => (
          <span key={part}>
            {n > 0 && ' · '}
            <span class="nowrap">{part}</span>
          </span>
        ))}
      </p>
    </>
  )
}

/** One bar per hour, however fine the points are. */
function barsOf({ points }: Series): { good: number; bad: number; title: string }[] {
  const each = Math.max(1, Math.ceil(points.length / BARS))
  return Array.from({ length: Math.ceil(points.length / each) }, (_, n) => {
    const part = points.slice(n * each, (n + 1) * each)
    const all = part.reduce((sum, point) => sum + point.attempts, 0)
    const bad = part.reduce((sum, point) => sum + point.attempts_failed + point.attempts_lost, 0)
    const at = Date.parse(part[0]?.at ?? '')
    return {
      good: Math.max(0, all - bad),
      bad,
      title: `${formatClock(at, at, zone.value)}: ${count(all, 'attempt')}, ${bad} failed or lost`,
    }
  })
}
