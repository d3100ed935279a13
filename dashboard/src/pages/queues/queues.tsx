/** All queues, those that need attention first. */
import { useResource } from '../../api/resource.js'
import { may } from '../../state/session.js'
import { link } from '../../state/url.js'
import { Badge } from '../../ui/badge.jsx'
import { Button } from '../../ui/button.jsx'
import { count, formatShare } from '../../ui/format.js'
import { Empty, Loaded } from '../../ui/loaded.jsx'
import { Page, Panel } from '../../ui/panel.jsx'
import { Meter } from '../../ui/strip.jsx'
import { type Column, Table } from '../../ui/table.jsx'
import { Num, Time } from '../../ui/value.jsx'
import { Counted } from '../parts/counted.jsx'
import '../parts/parts.css'
import { pauseQueue, resumeQueue } from './commands.js'
import { byAttention, loadStandings, type Standing } from './standing.js'

export function QueuesPage() {
  const queues = useResource(loadStandings, [], { pollMs: 10_000 })
  const after = async (done: Promise<boolean>) => {
    if (await done) await queues.reload()
  }
  return (
    <Page title="Queues" subtitle={summaryOf(queues.data.value)}>
      <Panel flush>
        <Loaded of={queues} rows={8}>
          {(standings) => (
            <Table
              label="Queues"
              rows={[...standings].sort(byAttention)}
              rowKey={({ queue }) => queue.id}
              columns={columnsOf(after)}
              empty={
                <Empty
                  title="No queues yet"
                  command="holdfast enqueue mail welcome '{&quot;to&quot;:&quot;ada@example.org&quot;}'"
                >
                  A queue appears with its first job. Paste this to make one:
                </Empty>
              }
            />
          )}
        </Loaded>
      </Panel>
    </Page>
  )
}

function summaryOf(standings: readonly Standing[] | undefined): string | undefined {
  if (standings === undefined || standings.length === 0) return undefined
  const paused = standings.filter(({ queue }) => queue.paused_at !== null).length
  const unserved = standings.filter((each) => each.unserved).length
  const failing = standings.filter((each) => each.failing).length
  const blocked = standings.filter(({ queue }) => queue.counts.blocked > 0).length
  const parts = [
    unserved > 0 ? `${unserved} without a worker` : '',
    failing > 0 ? `${failing} failing` : '',
    blocked > 0 ? `${blocked} with blocked jobs` : '',
    paused > 0 ? `${paused} paused` : '',
  ].filter((each) => each !== '')
  return `${count(standings.length, 'queue')}: ${parts.length === 0 ? 'everything is moving.' : `${parts.join(', ')}.`}`
}

function columnsOf(after: (done: Promise<boolean>) => Promise<void>): readonly Column<Standing>[] {
  const numbers: readonly Column<Standing>[] = [
    {
      name: 'ready',
      label: 'ready',
      align: 'end',
      cell: ({ queue }) => <Counted counts={queue.counts} of="queued" />,
    },
    {
      name: 'oldest',
      label: 'oldest',
      align: 'end',
      wideOnly: true,
      cell: ({ metrics }) => <Time at={metrics?.oldest_ready_at} as="age" />,
    },
    { name: 'running', label: 'running', align: 'end', cell: (row) => <Running row={row} /> },
    {
      name: 'delayed',
      label: 'delayed',
      align: 'end',
      wideOnly: true,
      cell: ({ queue }) => <Counted counts={queue.counts} of="delayed" />,
    },
    {
      name: 'rate',
      label: 'per min',
      align: 'end',
      wideOnly: true,
      cell: ({ perMinute }) => <Num value={perMinute} />,
    },
    {
      name: 'failed',
      label: 'failed, 15 min',
      align: 'end',
      wideOnly: true,
      cell: ({ failedRate, failing }) =>
        failedRate === null ? (
          <span class="faint">–</span>
        ) : (
          <span class={failing ? 'bad' : undefined}>{formatShare(failedRate)}</span>
        ),
    },
    {
      name: 'workers',
      label: 'workers',
      align: 'end',
      wideOnly: true,
      cell: ({ workers, slots }) =>
        workers.length === 0 ? (
          <span class="faint">none</span>
        ) : (
          `${workers.length} · ${count(slots, 'slot')}`
        ),
    },
  ]
  return [
    { name: 'queue', label: 'queue', cell: (row) => <Name row={row} /> },
    ...numbers,
    ...(may('operate')
      ? [
          {
            name: 'actions',
            label: <span class="hidden-visually">actions</span>,
            align: 'end' as const,
            cell: ({ queue: { name, paused_at } }: Standing) =>
              paused_at === null ? (
                <Button look="quiet" label={`Pause ${name}`} onClick={() => after(pauseQueue(name))}>
                  Pause…
                </Button>
              ) : (
                <Button label={`Resume ${name}`} onClick={() => after(resumeQueue(name))}>
                  Resume
                </Button>
              ),
          },
        ]
      : []),
  ]
}

function Name({ row: { queue, unserved, failing, full } }: { row: Standing }) {
  const { blocked } = queue.counts
  return (
    <>
      <span class="cell-name">
        <a href={link({ page: 'queue', name: queue.name })}>{queue.name}</a>
        {unserved && <Badge tone="bad">no worker</Badge>}
        {failing && <Badge tone="bad">failing</Badge>}
        {blocked > 0 && (
          <Badge tone="held">
            <Counted counts={queue.counts} of="blocked" /> blocked
          </Badge>
        )}
        {queue.paused_at !== null && <Badge tone="time">paused</Badge>}
        {full && <Badge tone="time">full</Badge>}
      </span>
      {queue.paused_at !== null && (
        <span class="cell-note">
          by {queue.paused_by ?? 'someone'} <Time at={queue.paused_at} />
          {queue.pause_reason === null ? '' : ` · ${queue.pause_reason}`}
        </span>
      )}
    </>
  )
}

function Running({ row: { queue } }: { row: Standing }) {
  const { running } = queue.counts
  const { max_running: most } = queue.policy
  if (most === null) return <Counted counts={queue.counts} of="running" />
  return (
    <>
      <Meter value={running} max={most} label={`${running} of ${most} running`} />{' '}
      <span class="meter-number">
        {running}
        <span class="faint"> / {most}</span>
      </span>
    </>
  )
}
