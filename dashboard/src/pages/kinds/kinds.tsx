/** All kinds of jobs: how often, how long, how they fail. */
import { call } from '../../api/call.js'
import type { AnswerOf } from '../../api/contract.js'
import { useResource } from '../../api/resource.js'
import { link } from '../../state/url.js'
import { Badge } from '../../ui/badge.jsx'
import { count } from '../../ui/format.js'
import { Empty, Loaded } from '../../ui/loaded.jsx'
import { Page, Panel } from '../../ui/panel.jsx'
import { type Column, Table } from '../../ui/table.jsx'
import { Duration, Num, Share } from '../../ui/value.jsx'
import '../parts/parts.css'
import { Trend } from '../parts/trend.jsx'

type Kinds = AnswerOf<'GET /api/v1/kinds'>

interface Row {
  readonly kind: string
  /** Live jobs. */
  readonly jobs: number
  readonly parked: number
  readonly atMost: number
  readonly stats: Kinds['stats'][number] | undefined
  readonly declared: Kinds['declared'][number] | undefined
}

const FAILING_SHARE = 0.2
const failing = ({ stats }: Row) => (stats?.last_hour.failed_rate ?? 0) >= FAILING_SHARE

function rowsOf({ kinds, declared, stats, counted_max: atMost }: Kinds): Row[] {
  const names = new Set([kinds, declared, stats].flatMap((list) => list.map(({ kind }) => kind)))
  const find = <T extends { kind: string }>(list: readonly T[]) =>
    new Map(list.map((each) => [each.kind, each]))
  const [live, byProgram, counted] = [find(kinds), find(declared), find(stats)]
  const rows = [...names].map((kind) => ({
    kind,
    jobs: live.get(kind)?.jobs ?? 0,
    parked: live.get(kind)?.parked ?? 0,
    atMost,
    stats: counted.get(kind),
    declared: byProgram.get(kind),
  }))
  const share = (row: Row) => (failing(row) ? (row.stats?.last_hour.failed_rate ?? 0) : 0)
  const busy = ({ stats: each }: Row) => each?.last_day.attempts ?? 0
  return rows.sort((a, b) => share(b) - share(a) || busy(b) - busy(a) || a.kind.localeCompare(b.kind))
}

export function KindsPage() {
  const kinds = useResource((signal) => call('GET /api/v1/kinds', { signal }), [], { everyMs: 10_000 })
  const rows = kinds.data.value && rowsOf(kinds.data.value)
  const bad = rows?.filter(failing).length ?? 0
  return (
    <Page
      title="Kinds"
      subtitle={
        rows && rows.length > 0
          ? `${count(rows.length, 'kind')}: ${bad === 0 ? 'none is failing.' : `${bad} failing.`}`
          : undefined
      }
    >
      <Panel flush>
        <Loaded of={kinds} rows={8}>
          {(data) => (
            <Table
              label="Kinds"
              rows={rowsOf(data)}
              rowKey={({ kind }) => kind}
              columns={COLUMNS}
              empty={
                <Empty title="No kinds yet" command="holdfast enqueue mail welcome '{}'">
                  A kind names what a job does. It appears with its first job, or when a program declares it:
                </Empty>
              }
            />
          )}
        </Loaded>
      </Panel>
    </Page>
  )
}

const COLUMNS: readonly Column<Row>[] = [
  { name: 'kind', label: 'kind', cell: (row) => <Name row={row} /> },
  {
    name: 'trend',
    label: 'last 24 hours',
    wideOnly: true,
    cell: ({ stats, kind }) =>
      stats === undefined ? null : (
        <Trend label={`Attempts of ${kind} in the last 24 hours`} hours={stats.trend} />
      ),
  },
  {
    name: 'rate',
    label: 'attempts, 1 h',
    align: 'end',
    cell: ({ stats }) => <Num value={stats?.last_hour.attempts} compact />,
  },
  {
    name: 'failed',
    label: 'failed, 1 h',
    align: 'end',
    cell: (row) => (
      <span class={failing(row) ? 'bad' : undefined}>
        <Share value={row.stats?.last_hour.failed_rate} />
      </span>
    ),
  },
  {
    name: 'p50',
    label: 'run p50',
    align: 'end',
    wideOnly: true,
    cell: ({ stats }) => <Duration ms={stats?.last_day.run.p50} />,
  },
  {
    name: 'p95',
    label: 'p95',
    align: 'end',
    wideOnly: true,
    cell: ({ stats }) => <Duration ms={stats?.last_day.run.p95} />,
  },
  {
    name: 'live',
    label: 'live jobs',
    align: 'end',
    wideOnly: true,
    cell: ({ jobs, atMost }) => <Num value={jobs} atMost={atMost} />,
  },
]

function Name({ row }: { readonly row: Row }) {
  const { kind, stats, declared, parked } = row
  const note =
    stats?.last_error && failing(row) ? stats.last_error.message : declared && `queue ${declared.queue}`
  return (
    <>
      <span class="cell-name">
        <a href={link({ page: 'kind', name: kind })}>{kind}</a>
        {stats?.fails_since_version ? (
          <Badge tone="bad">fails since {stats.fails_since_version}</Badge>
        ) : (
          failing(row) && <Badge tone="bad">failing</Badge>
        )}
        {parked > 0 && <Badge tone="held">{parked} parked</Badge>}
      </span>
      {note && <span class="cell-note cut">{note}</span>}
    </>
  )
}
