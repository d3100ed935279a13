/** Queues, those that need attention first. */
import { call } from '../../api/call.js'
import type { AnswerOf } from '../../api/contract.js'
import { useResource } from '../../api/resource.js'
import type { Overview } from '../../state/counts.js'
import { queueCounts } from '../../state/live.js'
import { link } from '../../state/url.js'
import { Badge } from '../../ui/badge.jsx'
import { count } from '../../ui/format.js'
import { Loaded } from '../../ui/loaded.jsx'
import { Panel } from '../../ui/panel.jsx'
import { type Column, Table } from '../../ui/table.jsx'
import { Duration, Num, Share } from '../../ui/value.jsx'
import { Counted } from '../parts/counted.jsx'

type Queue = AnswerOf<'GET /api/v1/queues'>['queues'][number]
type Metrics = AnswerOf<'GET /api/v1/metrics/queues'>['queues'][number]['windows'][string]

interface Row {
  readonly queue: Queue
  readonly metrics: Metrics | undefined
  readonly failedRate: number | null
  readonly workers: number
  readonly slots: number
  readonly problems: Overview['problems']
}

const WINDOW = '15m'
const WINDOW_MINUTES = 15
const SHOWN = 12

async function load(signal: AbortSignal) {
  const [queues, metrics, workers] = await Promise.all([
    call('GET /api/v1/queues', { signal }),
    call('GET /api/v1/metrics/queues', { signal }),
    call('GET /api/v1/workers', { signal }),
  ])
  return { queues, metrics, workers: workers.workers.filter((each) => each.alive) }
}

function rowsOf(
  { queues, metrics, workers }: Awaited<ReturnType<typeof load>>,
  problems: Overview['problems'],
): Row[] {
  const windows = new Map(metrics.queues.map(({ queue, windows }) => [queue, windows[WINDOW]]))
  const live = new Map(queueCounts.value.map((each) => [each.queue, each]))
  const rows = queues.queues.map((listed): Row => {
    // The stream has newer counts than the list, so that they tick in place.
    const queue = { ...listed, counts: live.get(listed.name) ?? listed.counts }
    const own = workers.filter((each) => each.queues.length === 0 || each.queues.includes(queue.name))
    const window = windows.get(queue.name)
    const failed = (window?.attempts_failed ?? 0) + (window?.attempts_lost ?? 0)
    const attempts = failed + (window?.succeeded ?? 0)
    return {
      queue,
      metrics: window,
      failedRate: attempts === 0 ? null : failed / attempts,
      workers: own.length,
      slots: own.reduce((sum, each) => sum + each.slots, 0),
      problems: problems.filter(
        ({ subject }) =>
          subject.queue === queue.name || (subject.type === 'queue' && subject.name === queue.name),
      ),
    }
  })
  return rows.sort((a, b) => attention(b) - attention(a) || a.queue.name.localeCompare(b.queue.name))
}

function attention({ problems, queue, failedRate, workers }: Row): number {
  const severe = problems.reduce((sum, each) => sum + (each.severity === 'critical' ? 1_000 : 100), 0)
  const alone = workers === 0 && queue.counts.queued > 0 ? 500 : 0
  return (
    severe +
    alone +
    (queue.paused_at === null ? 0 : 50) +
    queue.counts.blocked * 10 +
    (failedRate ?? 0) * 10 +
    Math.log10(1 + queue.counts.queued)
  )
}

export function Queues({ problems }: { readonly problems: Overview['problems'] }) {
  const loaded = useResource(load, [], { everyMs: 3_000, pollMs: 10_000 })
  return (
    <Panel title="Queues" aside="those that need attention first" flush>
      <Loaded of={loaded} rows={4}>
        {(data) => {
          const rows = rowsOf(data, problems)
          return (
            <>
              <Table
                label="Queues"
                columns={COLUMNS}
                rows={rows.slice(0, SHOWN)}
                rowKey={(row) => row.queue.name}
              />
              {rows.length > SHOWN && (
                <p class="table-more">
                  <a href={link({ page: 'queues' })}>All {rows.length} queues</a>
                </p>
              )}
            </>
          )
        }}
      </Loaded>
    </Panel>
  )
}

const ended = (metrics: Metrics | undefined) =>
  metrics === undefined ? null : (metrics.succeeded + metrics.failed + metrics.canceled) / WINDOW_MINUTES

const COLUMNS: readonly Column<Row>[] = [
  {
    name: 'queue',
    label: 'queue',
    cell: ({ queue, problems, workers }) => (
      <span class="row">
        <a class="ink" href={link({ page: 'queue', name: queue.name })}>
          <b>{queue.name}</b>
        </a>
        {problems.some(({ type }) => type === 'failing_kind') && <Badge tone="bad">failing</Badge>}
        {workers === 0 && queue.counts.queued > 0 && <Badge tone="bad">no worker</Badge>}
        {queue.counts.blocked > 0 && (
          <Badge tone="held">
            <Counted counts={queue.counts} of="blocked" /> blocked
          </Badge>
        )}
        {queue.paused_at !== null && (
          <Badge tone="time" title={queue.pause_reason ?? undefined}>
            paused{queue.paused_by === null ? '' : ` by ${queue.paused_by}`}
            {queue.pause_reason === null ? '' : ` · ${queue.pause_reason}`}
          </Badge>
        )}
      </span>
    ),
  },
  {
    name: 'ready',
    label: 'ready',
    align: 'end',
    cell: ({ queue }) => <Counted counts={queue.counts} of="queued" />,
  },
  {
    name: 'running',
    label: 'running',
    align: 'end',
    wideOnly: true,
    cell: ({ queue }) => <Counted counts={queue.counts} of="running" />,
  },
  {
    name: 'delayed',
    label: 'delayed',
    align: 'end',
    wideOnly: true,
    cell: ({ queue }) => <Counted counts={queue.counts} of="delayed" />,
  },
  {
    name: 'rate',
    label: 'ended per min',
    align: 'end',
    cell: ({ metrics }) => <Num value={round(ended(metrics))} />,
  },
  {
    name: 'wait',
    label: 'mean wait',
    align: 'end',
    wideOnly: true,
    cell: ({ metrics }) => <Duration ms={metrics?.average_wait_ms} />,
  },
  {
    name: 'failed',
    label: 'failed, 15 min',
    align: 'end',
    cell: ({ failedRate }) => (
      <span class={(failedRate ?? 0) >= 0.2 ? 'bad' : undefined}>
        <Share value={failedRate} />
      </span>
    ),
  },
  {
    name: 'workers',
    label: 'workers',
    wideOnly: true,
    cell: ({ workers, slots }) =>
      workers === 0 ? <span class="faint">none</span> : `${workers} · ${count(slots, 'slot')}`,
  },
]

function round(rate: number | null): number | null {
  return rate === null ? null : rate >= 10 ? Math.round(rate) : Math.round(rate * 10) / 10
}
