/** Throughput and times of a queue or a kind over the last hour, day or week, from the roll-ups. */
import { useMemo } from 'preact/hooks'
import { call } from '../../api/call.js'
import type { AnswerOf } from '../../api/contract.js'
import { useResource } from '../../api/resource.js'
import { choiceParam } from '../../state/url.js'
import { Chart, type ChartMark, type Series as ChartSeries } from '../../ui/chart.jsx'
import { Choices } from '../../ui/field.jsx'
import { formatDuration } from '../../ui/format.js'
import { Loaded } from '../../ui/loaded.jsx'
import { Panel } from '../../ui/panel.jsx'
import { Duration } from '../../ui/value.jsx'
import { Halves } from './parts.jsx'
import { countedPoints } from './points.js'

const SPANS = [
  ['1h', '1 h'],
  ['24h', '24 h'],
  ['7d', '7 d'],
] as const

export const span = choiceParam('span', ['1h', '24h', '7d'], '24h')

export function SpanChoices() {
  return (
    <Choices label="Time span" value={span.value} onInput={(next) => span.replace(next)} choices={SPANS} />
  )
}

interface SeriesChartsProps {
  readonly queue?: string
  readonly kind?: string
  readonly marks?: readonly ChartMark[]
}

type Series = AnswerOf<'GET /api/v1/stats/series'>

const NO_MARKS: readonly ChartMark[] = []

export function SeriesCharts({ queue, kind, marks = NO_MARKS }: SeriesChartsProps) {
  const series = useResource(
    (signal) => call('GET /api/v1/stats/series', { query: { span: span.value, queue, kind }, signal }),
    [queue, kind],
    { everyMs: 15_000 },
  )
  return (
    <Halves>
      <Panel title="Throughput, per minute" aside={<SpanChoices />} flush>
        <Loaded of={series} rows={6}>
          {(data) => <Throughput data={data} marks={marks} />}
        </Loaded>
      </Panel>
      <Panel
        title="Wait and run time"
        aside={
          <span class="small">
            run p50 <Duration ms={series.data.value?.total.run.p50} /> · p99{' '}
            <Duration ms={series.data.value?.total.run.p99} />
          </span>
        }
        flush
      >
        <Loaded of={series} rows={6}>
          {(data) => <Times data={data} marks={marks} />}
        </Loaded>
      </Panel>
    </Halves>
  )
}

type Point = Series['points'][number]

function useLines(data: Series, lines: readonly Line[]) {
  return useMemo(() => {
    const counted = countedPoints(data)
    return {
      times: counted.map(({ at }) => at),
      series: lines.map(({ value, ...line }) => ({
        ...line,
        values: counted.map(({ point, perMinute }) => value(point, perMinute)),
      })),
    }
  }, [data])
}

type Line = Pick<ChartSeries, 'label' | 'tone' | 'filled' | 'dashed' | 'broad'> & {
  readonly value: (point: Point, perMinute: number) => number | null
}

const THROUGHPUT: readonly Line[] = [
  {
    ...{ label: 'ended', tone: 'busy', filled: true },
    value: (each, rate) => (each.succeeded + each.failed + each.canceled) * rate,
  },
  { label: 'enqueued', tone: 'quiet', dashed: true, value: (each, rate) => each.enqueued * rate },
  {
    label: 'failed attempts',
    tone: 'bad',
    value: (each, rate) => (each.attempts_failed + each.attempts_lost) * rate,
  },
]

const TIMES: readonly Line[] = [
  { label: 'wait p95', tone: 'time', broad: true, value: ({ wait }) => wait.p95 },
  { label: 'run p95', tone: 'accent', value: ({ run }) => run.p95 },
  { label: 'run p50', tone: 'quiet', dashed: true, value: ({ run }) => run.p50 },
]

interface LinesProps {
  readonly data: Series
  readonly marks: readonly ChartMark[]
}

const within = ({ from, to }: Series, marks: readonly ChartMark[]) =>
  marks.filter(({ at }) => at >= Date.parse(from) && at <= Date.parse(to))

function Throughput({ data, marks }: LinesProps) {
  const shown = useMemo(() => within(data, marks), [data, marks])
  return <Chart label="throughput per minute" {...useLines(data, THROUGHPUT)} marks={shown} />
}

function Times({ data, marks }: LinesProps) {
  const shown = useMemo(() => within(data, marks), [data, marks])
  return (
    <Chart label="wait and run time" log {...useLines(data, TIMES)} marks={shown} format={formatDuration} />
  )
}
