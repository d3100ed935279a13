/** Targets: those that a job blocks until a person decides, and those that are busy. */
import { call } from '../../api/call.js'
import type { AnswerOf } from '../../api/contract.js'
import { type Resource, useResource } from '../../api/resource.js'
import { may } from '../../state/session.js'
import { link, textParam } from '../../state/url.js'
import { StateBadge } from '../../ui/badge.jsx'
import { Button } from '../../ui/button.jsx'
import { confirm } from '../../ui/confirm.jsx'
import { count } from '../../ui/format.js'
import { Empty, Loaded } from '../../ui/loaded.jsx'
import { Page, Panel } from '../../ui/panel.jsx'
import { Table } from '../../ui/table.jsx'
import { act } from '../../ui/toast.jsx'
import { Num, Time } from '../../ui/value.jsx'
import '../parts/parts.css'
import './targets.css'

type Blocked = AnswerOf<'GET /api/v1/targets'>['targets'][number]

const queue = textParam('queue')
const PAGE = 100

export function TargetsPage() {
  const blocked = useResource(
    (signal) =>
      call('GET /api/v1/targets', { query: { queue: queue.value || undefined, page_size: PAGE }, signal }),
    [],
    { pollMs: 10_000 },
  )
  const found = blocked.data.value?.targets
  return (
    <Page
      title={titleOf(found)}
      name="Targets"
      subtitle={
        queue.value === '' ? (
          'Jobs of one target run one at a time. A blocked one waits for a person.'
        ) : (
          <>
            Of queue <b>{queue.value}</b> · <a href={link({ page: 'targets' })}>All queues</a>
          </>
        )
      }
    >
      <Panel title="Blocked" aside={found && atMost(found.length)} flush>
        <Loaded of={blocked} rows={4}>
          {(data) => <BlockedList targets={data.targets} of={blocked} />}
        </Loaded>
      </Panel>
      <BusyPanel />
    </Page>
  )
}

const atMost = (found: number) => (found < PAGE ? count(found, 'target') : `the ${PAGE} blocked longest`)

function titleOf(found: readonly Blocked[] | undefined): string {
  if (found === undefined || found.length === 0) return 'Targets'
  return `${found.length >= PAGE ? `${PAGE}+` : found.length} blocked ${found.length === 1 ? 'target' : 'targets'}`
}

function BlockedList({
  targets,
  of,
}: {
  readonly targets: readonly Blocked[]
  readonly of: Resource<unknown>
}) {
  if (targets.length === 0)
    return (
      <Empty title="No target is blocked" command="holdfast targets">
        When the job at the head of a target fails for good in a queue that blocks, it is listed here with its
        cause. The same on the command line:
      </Empty>
    )
  return (
    <ul aria-label="Blocked targets">
      {targets.map((each) => (
        <li key={each.job_id} class="blocked" data-row tabIndex={-1}>
          <Cause target={each} />
          {may('operate') && <Commands target={each} done={() => of.reload()} />}
        </li>
      ))}
    </ul>
  )
}

function Cause({ target }: { readonly target: Blocked }) {
  const { state, status, kind, job_id: id, behind, since } = target
  const cause = target.last_error ?? target.reason
  return (
    <div class="blocked-cause">
      <p>
        <b class="mono">{target.target}</b> is blocked by{' '}
        <a href={link({ page: 'job', id })}>
          {kind} <span class="mono">#{id}</span>
        </a>{' '}
        <StateBadge state={state} status={status} />
      </p>
      {cause !== null && <p>{cause}</p>}
      <p class="soft small">
        for <Time at={since} as="age" /> ·{' '}
        {behind === 0 ? 'no job waits' : `${count(behind, 'job')} ${behind === 1 ? 'waits' : 'wait'}`} behind
        it · queue <a href={link({ page: 'queue', name: target.queue })}>{target.queue}</a>
      </p>
    </div>
  )
}

/** Resume runs the job again, skip leaves it out, cancel ends it. */
function Commands({ target, done }: { readonly target: Blocked; readonly done: () => Promise<void> }) {
  const { job_id: id, behind } = target
  const params = { id }
  const what = `${target.target}, job #${id}`
  const rest = behind === 0 ? '' : ` ${count(behind, 'job')} behind it can then run, one after the other.`
  const resume = async () => {
    await act(`Job #${id} resumed`, () => call('POST /api/v1/jobs/{id}/resume', { params }))
    await done()
  }
  const skip = async () => {
    const yes = await confirm({
      title: `Skip job #${id}?`,
      body: `It ends as canceled and ${target.target} continues.${rest}`,
      action: 'Skip job',
    })
    if (yes === null) return
    await act(`Job #${id} skipped`, () => call('POST /api/v1/jobs/{id}/skip', { params, body: yes.body }))
    await done()
  }
  const cancel = async () => {
    const yes = await confirm({
      title: `Cancel job #${id}?`,
      body: `It ends as canceled.${rest}`,
      action: 'Cancel job',
      danger: true,
    })
    if (yes === null) return
    await act(`Job #${id} canceled`, () => call('POST /api/v1/jobs/{id}/cancel', { params, body: yes.body }))
    await done()
  }
  return (
    <div class="row">
      <Button look="danger" action="cancel" label={`Cancel ${what}`} onClick={cancel}>
        Cancel…
      </Button>
      <Button label={`Skip ${what}`} onClick={skip}>
        Skip…
      </Button>
      <Button look="primary" action="retry" label={`Resume ${what}`} onClick={resume}>
        Resume
      </Button>
    </div>
  )
}

/** How many running and waiting jobs are read to find the busy targets. */
const LOOKED_AT = 200

interface Busy {
  readonly id: string
  readonly target: string
  readonly queue: string
  readonly running: readonly { id: number; kind: string; since: string }[]
  readonly waiting: number
}

async function loadBusy(of: string, signal: AbortSignal) {
  const read = (state: 'running' | 'waiting') =>
    call('GET /api/v1/jobs', { query: { state, queue: of || undefined, page_size: LOOKED_AT }, signal })
  const [running, waiting] = await Promise.all([read('running'), read('waiting')])
  const found = new Map<
    string,
    { target: string; queue: string; running: Busy['running'][number][]; waiting: number }
  >()
  for (const job of running.jobs) {
    if (job.target === null) continue
    const id = `${job.queue}\n${job.target}`
    const busy = found.get(id) ?? { target: job.target, queue: job.queue, running: [], waiting: 0 }
    busy.running.push({
      id: job.id,
      kind: job.kind,
      since: job.created_at,
    })
    found.set(id, busy)
  }
  for (const job of waiting.jobs) {
    const busy = found.get(`${job.queue}\n${job.target}`)
    if (busy !== undefined) busy.waiting++
  }
  const rows: Busy[] = [...found].map(([id, busy]) => ({ id, ...busy }))
  return {
    rows: rows.sort((a, b) => b.waiting - a.waiting || a.target.localeCompare(b.target)),
    more: running.next_page_token !== null || waiting.next_page_token !== null,
  }
}

function BusyPanel() {
  const busy = useResource((signal) => loadBusy(queue.value, signal), [], { everyMs: 5_000 })
  return (
    <Panel
      title="Busy"
      aside={busy.data.value?.more && `among the newest ${LOOKED_AT} running and waiting jobs`}
      flush
    >
      <Loaded of={busy} rows={4}>
        {({ rows, more }) => (
          <Table
            label="Busy targets"
            rows={rows}
            rowKey={({ id }) => id}
            columns={[
              { name: 'target', label: 'target', cell: ({ target }) => <span class="mono">{target}</span> },
              {
                name: 'job',
                label: 'running',
                cell: ({ running }) =>
                  running.slice(0, 3).map((job) => (
                    <a key={job.id} href={link({ page: 'job', id: job.id })} class="nowrap">
                      {job.kind} <span class="mono faint">#{job.id}</span>{' '}
                    </a>
                  )),
              },
              {
                name: 'created',
                label: 'created',
                align: 'end',
                cell: ({ running }) => <Time at={running[0]?.since} />,
              },
              {
                name: 'behind',
                label: 'jobs behind',
                align: 'end',
                cell: ({ waiting }) => (
                  <>
                    <Num value={waiting} />
                    {more && waiting > 0 && <span class="faint">+</span>}
                  </>
                ),
              },
              {
                name: 'queue',
                label: 'queue',
                wideOnly: true,
                cell: (row) => <a href={link({ page: 'queue', name: row.queue })}>{row.queue}</a>,
              },
            ]}
            empty={
              <Empty
                title="No target is busy"
                command="holdfast enqueue mail welcome '{}' --target customer:42"
              >
                Jobs with the same target run one at a time. Give a job one:
              </Empty>
            }
          />
        )}
      </Loaded>
    </Panel>
  )
}
