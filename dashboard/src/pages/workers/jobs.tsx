/** The jobs that a worker holds now, and those it ran lately. */
import { literal } from '../../../../src/search/text-values.js'
import { writeValue } from '../../../../src/search/tokens.js'
import { call } from '../../api/call.js'
import type { AnswerOf } from '../../api/contract.js'
import { useResource } from '../../api/resource.js'
import { link } from '../../state/url.js'
import { Badge, StateBadge } from '../../ui/badge.jsx'
import { count } from '../../ui/format.js'
import { Empty, Loaded } from '../../ui/loaded.jsx'
import { Panel } from '../../ui/panel.jsx'
import { type Column, Table } from '../../ui/table.jsx'
import { Num, Time } from '../../ui/value.jsx'

type Details = AnswerOf<'GET /api/v1/workers/{name}'>

interface Named {
  readonly id: number
  readonly kind: string
  readonly queue: string
  readonly attempt: number
}

const job: Column<Named> = {
  name: 'job',
  label: 'job',
  cell: ({ id, kind }) => (
    <span class="cell-name">
      <a href={link({ page: 'job', id })}>{kind}</a>
      <span class="mono faint">#{id}</span>
    </span>
  ),
}
const queue: Column<Named> = {
  name: 'queue',
  label: 'queue',
  wideOnly: true,
  cell: ({ queue: name }) => <a href={link({ page: 'queue', name })}>{name}</a>,
}
const attempt: Column<Named> = {
  name: 'attempt',
  label: 'attempt',
  align: 'end',
  cell: ({ attempt: n }) => <Num value={n} />,
}

export function HeldJobs({ worker }: { readonly worker: Details }) {
  return (
    <Panel title="Current jobs" aside={worker.jobs_capped && `the oldest ${worker.jobs.length}`} flush>
      <Table
        label="Current jobs"
        rows={worker.jobs}
        rowKey={({ id }) => id}
        columns={[
          job,
          {
            name: 'state',
            label: 'state',
            cell: ({ started_at: started, cancel_requested: asked }) =>
              asked ? (
                <Badge tone="time">cancel requested</Badge>
              ) : (
                <StateBadge state={started === null ? 'assigned' : 'running'} />
              ),
          },
          queue,
          attempt,
          {
            name: 'for',
            label: 'for',
            align: 'end',
            cell: ({ started_at: started, claimed_at: claimed }) => <Time at={started ?? claimed} as="age" />,
          },
        ]}
        empty={<Empty title="It holds no job now" />}
      />
    </Panel>
  )
}

const SHOWN = 15
/** A worker that has run nothing lately is looked for among many jobs. */
const BUDGET_MS = 120

export function RecentJobs({ worker }: { readonly worker: string }) {
  const q = `worker:${writeValue(literal(worker))}`
  const jobs = useResource(
    (signal) => call('GET /api/v1/jobs/search', { query: { q, limit: SHOWN, budget_ms: BUDGET_MS }, signal }),
    [worker],
    { everyMs: 5_000 },
  )
  return (
    <Panel title="Newest jobs" aside={<a href={link({ page: 'jobs', q })}>All</a>} flush>
      <Loaded of={jobs} rows={6}>
        {(data) => (
          <Table
            label="Newest jobs"
            rows={data.jobs}
            rowKey={({ id }) => id}
            columns={[
              job,
              {
                name: 'state',
                label: 'state',
                cell: ({ state, status }) => <StateBadge state={state} status={status} />,
              },
              queue,
              attempt,
              {
                name: 'created',
                label: 'created',
                align: 'end',
                cell: ({ created_at: at }) => <Time at={at} />,
              },
            ]}
            empty={
              <Empty
                title={
                  data.examined.complete
                    ? 'It has run no job yet'
                    : `None among the newest ${count(data.examined.jobs, 'job')}`
                }
              />
            }
          />
        )}
      </Loaded>
    </Panel>
  )
}
