/** The processes that run jobs. */
import { call } from '../../api/call.js'
import { useResource } from '../../api/resource.js'
import { may } from '../../state/session.js'
import { Button } from '../../ui/button.jsx'
import { count } from '../../ui/format.js'
import { Empty, Loaded } from '../../ui/loaded.jsx'
import { Page, Panel } from '../../ui/panel.jsx'
import { type Column, Table } from '../../ui/table.jsx'
import { isDraining, type Worker, workerColumns } from './columns.jsx'
import { drainWorker } from './drain.js'
import { ScalingPanel } from './scaling.jsx'

export function WorkersPage() {
  const workers = useResource((signal) => call('GET /api/v1/workers', { signal }), [], { pollMs: 5_000 })
  const drain: Column<Worker> = {
    name: 'actions',
    label: <span class="hidden-visually">actions</span>,
    align: 'end',
    cell: (worker) =>
      worker.alive && !isDraining(worker) ? (
        <Button
          look="quiet"
          label={`Drain ${worker.worker}`}
          onClick={async () => {
            if (await drainWorker(worker)) await workers.reload()
          }}
        >
          Drain…
        </Button>
      ) : null,
  }
  return (
    <Page title="Workers" subtitle={summaryOf(workers.data.value?.workers)}>
      <Panel flush>
        <Loaded of={workers} rows={6}>
          {(data) => (
            <Table
              label="Workers"
              rows={[...data.workers].sort(byAttention)}
              rowKey={({ worker, tenant }) => `${tenant}/${worker}`}
              columns={may('operate') ? [...workerColumns, drain] : workerColumns}
              empty={
                <Empty title="No worker has started yet" command="holdfast worker ./jobs.js">
                  Jobs wait until a worker claims them. Start one:
                </Empty>
              }
            />
          )}
        </Loaded>
      </Panel>
      <ScalingPanel />
    </Page>
  )
}

function byAttention(a: Worker, b: Worker): number {
  const rank = (worker: Worker) => (!worker.alive ? 0 : isDraining(worker) ? 1 : 2)
  return rank(a) - rank(b) || a.worker.localeCompare(b.worker)
}

function summaryOf(workers: readonly Worker[] | undefined): string | undefined {
  if (workers === undefined || workers.length === 0) return undefined
  const live = workers.filter(({ alive }) => alive)
  const sum = (read: (worker: Worker) => number) => live.reduce((total, each) => total + read(each), 0)
  const gone = workers.length - live.length
  const draining = live.filter(isDraining).length
  return [
    `${count(live.length, 'live worker')}: ${sum(({ busy }) => busy)} of ${count(
      sum(({ slots }) => slots),
      'slot',
    )} busy`,
    ...(draining > 0 ? [`${draining} draining`] : []),
    ...(gone > 0 ? [`${gone} gone`] : []),
  ].join(', ')
}
