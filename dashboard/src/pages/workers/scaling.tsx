/** The sizes of worker groups over time, as managers changed them. */
import { call } from '../../api/call.js'
import type { AnswerOf } from '../../api/contract.js'
import { useResource } from '../../api/resource.js'
import { Chart, type Series } from '../../ui/chart.jsx'
import { formatNumber } from '../../ui/format.js'
import { Empty, Loaded } from '../../ui/loaded.jsx'
import { Panel } from '../../ui/panel.jsx'
import { Table } from '../../ui/table.jsx'
import { Num, Time } from '../../ui/value.jsx'
import { SpanChoices, span } from '../parts/series.jsx'

type Scale = AnswerOf<'GET /api/v1/stats/scale'>

export function ScalingPanel() {
  const scale = useResource(
    (signal) => call('GET /api/v1/stats/scale', { query: { span: span.value }, signal }),
    [],
    { everyMs: 15_000 },
  )
  return (
    <Panel title="Scaling" aside={<SpanChoices />} flush>
      <Loaded of={scale} rows={4}>
        {(data) =>
          data.events.length === 0 ? (
            <Empty
              title="No group of workers changed its size"
              command="holdfast worker ./jobs.js --min 2 --max 20"
            >
              A group with a range grows while jobs wait, and shrinks afterwards:
            </Empty>
          ) : (
            <>
              <ScaleChart data={data} />
              <ScaleTable data={data} />
            </>
          )
        }
      </Loaded>
    </Panel>
  )
}

const TONES = ['busy', 'quiet', 'held', 'time', 'good'] as const

function ScaleChart({ data }: { readonly data: Scale }) {
  const { times, series } = stepsOf(data)
  return <Chart label="workers by group" times={times} series={series} format={formatNumber} height={144} />
}

/** A size stays until the next change: each change is two points, before and after. */
function stepsOf({ events, from, to }: Scale): { times: number[]; series: Series[] } {
  const oldestFirst = [...events].reverse()
  const groups = [...new Set(oldestFirst.map(({ group }) => group))]
  const sizes = new Map(
    groups.map((group) => [group, oldestFirst.find((each) => each.group === group)?.from ?? 0]),
  )
  const times: number[] = []
  const values = new Map<string, number[]>(groups.map((group) => [group, []]))
  const note = (at: number) => {
    times.push(at)
    for (const group of groups) values.get(group)?.push(sizes.get(group) ?? 0)
  }
  note(Date.parse(from))
  for (const event of oldestFirst) {
    const at = Math.max(Date.parse(event.at), (times.at(-1) ?? 0) + 2)
    note(at - 1)
    sizes.set(event.group, event.to)
    note(at)
  }
  note(Math.max(Date.parse(to), (times.at(-1) ?? 0) + 1))
  return {
    times,
    series: groups.map((group, n) => ({
      label: group,
      tone: TONES[n % TONES.length] ?? 'quiet',
      filled: groups.length === 1,
      values: values.get(group) ?? [],
    })),
  }
}

const SHOWN = 8

function ScaleTable({ data }: { readonly data: Scale }) {
  return (
    <Table
      label="Changes of size"
      rows={data.events.slice(0, SHOWN)}
      rowKey={({ at, group }) => `${at}${group}`}
      columns={[
        { name: 'at', label: 'when', cell: ({ at }) => <Time at={at} /> },
        { name: 'group', label: 'group', cell: ({ group }) => <b>{group}</b> },
        {
          name: 'size',
          label: 'size',
          align: 'end',
          cell: ({ from, to }) => (
            <>
              <span class="faint">{from} → </span>
              {to}
            </>
          ),
        },
        { name: 'depth', label: 'jobs waiting', align: 'end', cell: ({ depth }) => <Num value={depth} /> },
        { name: 'reason', label: 'reason', wideOnly: true, cell: ({ reason }) => reason ?? '–' },
      ]}
    />
  )
}
