/** Throughput and times, from rollups. Both charts share the span, the time axis and the crosshair. */
import { useMemo } from 'preact/hooks'
import { call } from '../../api/call.js'
import type { AnswerOf } from '../../api/contract.js'
import { useResource } from '../../api/resource.js'
import { choiceParam } from '../../state/url.js'
import { Chart, type Series } from '../../ui/chart.jsx'
import { Choices } from '../../ui/field.jsx'
import { formatDuration } from '../../ui/format.js'
import { Loaded } from '../../ui/loaded.jsx'
import { Panel } from '../../ui/panel.jsx'
import { countedPoints } from '../parts/points.js'

type SeriesAnswer = AnswerOf<'GET /api/v1/stats/series'>

const span = choiceParam('span', ['1h', '24h', '7d'], '1h')
const measure = choiceParam('tab', ['wait', 'run'], 'wait')

export function Charts() {
  const series = useResource(
    (signal) => call('GET /api/v1/stats/series', { query: { span: span.value }, signal }),
    [],
    {
      live: () => false,
    },
  )
  return (
    <div class="charts">
      <Panel
        title="Throughput"
        aside={
          <Choices
            label="Span of the charts"
            value={span.value}
            onInput={(value) => span.replace(value)}
            choices={[
              ['1h', '1 h'],
              ['24h', '24 h'],
              ['7d', '7 d'],
            ]}
          />
        }
      >
        <Loaded of={series} rows={5}>
          {(data) => <Throughput data={data} />}
        </Loaded>
      </Panel>
      <Panel
        title={
          <Choices
            label="Which time"
            value={measure.value}
            onInput={(value) => measure.replace(value)}
            choices={[
              ['wait', 'Wait before start'],
              ['run', 'Run time'],
            ]}
          />
        }
        aside={span.value === '1h' ? 'last hour' : span.value === '24h' ? 'last 24 hours' : 'last 7 days'}
      >
        <Loaded of={series} rows={5}>
          {(data) => <Times data={data} which={measure.value} />}
        </Loaded>
      </Panel>
    </div>
  )
}

function Throughput({ data }: { readonly data: SeriesAnswer }) {
  const { times, series } = useMemo(() => {
    const counted = countedPoints(data)
    const line = (
      label: string,
      tone: Series['tone'],
      pick: (point: SeriesAnswer['points'][number]) => number,
      filled = false,
    ): Series => ({
      label,
      tone,
      filled,
      values: counted.map(({ point, perMinute }) => pick(point) * perMinute),
    })
    return {
      times: counted.map(({ at }) => at),
      series: [
        line('ended per minute', 'busy', (each) => each.succeeded + each.failed + each.canceled, true),
        line('failed attempts per minute', 'bad', (each) => each.attempts_failed + each.attempts_lost),
      ],
    }
  }, [data])
  return <Chart label="Throughput" times={times} series={series} />
}

function Times({ data, which }: { readonly data: SeriesAnswer; readonly which: 'wait' | 'run' }) {
  const { times, series } = useMemo(() => {
    const counted = countedPoints(data)
    const line = (name: 'p50' | 'p95' | 'p99', tone: Series['tone'], look: Partial<Series> = {}): Series => ({
      label: name,
      tone,
      ...look,
      values: counted.map(({ point }) => point[which][name]),
      summary: data.total[which][name],
    })
    return {
      times: counted.map(({ at }) => at),
      // With few jobs a minute p95 and p99 are the same: the broad line lies below, and both are seen.
      series: [
        line('p99', 'time', { broad: true }),
        line('p95', 'accent'),
        line('p50', 'quiet', { dashed: true }),
      ],
    }
  }, [data, which])
  return (
    <Chart
      label={which === 'wait' ? 'Wait before start' : 'Run time'}
      times={times}
      series={series}
      format={formatDuration}
      log
    />
  )
}
