/** One queue: where its jobs are, how fast they move, which limits apply, and its policy in words. */
import { call } from '../../api/call.js'
import { useResource } from '../../api/resource.js'
import { useCommands } from '../../state/commands.js'
import { may } from '../../state/session.js'
import { link, textParam } from '../../state/url.js'
import { Badge } from '../../ui/badge.jsx'
import { Button } from '../../ui/button.jsx'
import { count, formatNumber } from '../../ui/format.js'
import { JsonTree } from '../../ui/json-tree.jsx'
import { Empty, Loaded } from '../../ui/loaded.jsx'
import { Facts, Page, Panel } from '../../ui/panel.jsx'
import { Meter } from '../../ui/strip.jsx'
import { Table } from '../../ui/table.jsx'
import { Duration, Num, Share, Time } from '../../ui/value.jsx'
import { Counted } from '../parts/counted.jsx'
import { Halves, Notice, Tile, Tiles } from '../parts/parts.jsx'
import { SeriesCharts } from '../parts/series.jsx'
import { workerColumns } from '../workers/columns.jsx'
import { pauseQueue, resumeQueue } from './commands.js'
import { policyInWords, rateInWords } from './policy-words.js'
import './queue.css'
import { type Standing, standingOf } from './standing.js'

const name = textParam('name')

async function load(wanted: string, signal: AbortSignal) {
  const [queue, list, metrics, { workers }] = await Promise.all([
    call('GET /api/v1/queues/{name}', { params: { name: wanted }, signal }),
    call('GET /api/v1/queues', { signal }),
    call('GET /api/v1/metrics/queues', { query: { queue: wanted }, signal }),
    call('GET /api/v1/workers', { signal }),
  ])
  const counts = list.queues.find(({ id }) => id === queue.id)?.counts ?? NO_COUNTS
  return {
    priorityMax: metrics.counted_max,
    standing: standingOf({ ...queue, counts }, metrics.queues[0], workers),
  }
}

const NO_COUNTS = { queued: 0, running: 0, delayed: 0, waiting: 0, blocked: 0, capped: [] }

export function QueuePage() {
  const queue = useResource((signal) => load(name.value, signal), [], { pollMs: 10_000 })
  const paused = queue.data.value?.standing.queue.paused_at ?? null
  const pause = async () => {
    if (await pauseQueue(name.value)) await queue.reload()
  }
  const resume = async () => {
    if (await resumeQueue(name.value)) await queue.reload()
  }
  useCommands(
    may('operate')
      ? [
          paused === null
            ? { name: `Pause queue ${name.value}`, run: pause }
            : { name: `Resume queue ${name.value}`, run: resume },
        ]
      : [],
    [paused, name.value],
  )
  const actions = (
    <>
      <Button href={link({ page: 'jobs', q: `queue:${name.value}` })}>Jobs</Button>
      {may('operate') && queue.data.value !== undefined && paused === null && (
        <Button onClick={pause}>Pause…</Button>
      )}
    </>
  )
  return (
    <Page
      title={name.value}
      name={`Queue ${name.value}`}
      subtitle={queue.data.value === undefined ? undefined : <Summary {...queue.data.value.standing} />}
      actions={actions}
    >
      <Loaded of={queue} rows={8}>
        {({ standing }) => (
          <>
            <Notices standing={standing} resume={resume} />
            <Places standing={standing} />
          </>
        )}
      </Loaded>
      <SeriesCharts queue={name.value} />
      {queue.data.value !== undefined && <Rest {...queue.data.value} />}
    </Page>
  )
}

function Summary({ queue, workers, slots }: Standing) {
  return (
    <>
      Queue with the preset {queue.preset},{' '}
      {workers.length === 0
        ? 'no live worker.'
        : `${count(workers.length, 'worker')} with ${count(slots, 'slot')}.`}
    </>
  )
}

function Notices({ standing, resume }: { standing: Standing; resume: () => Promise<void> }) {
  const { queue, unserved, failing, failedRate } = standing
  return (
    <>
      {queue.paused_at !== null && (
        <Notice
          tone="time"
          actions={
            may('operate') && (
              <Button look="primary" onClick={resume}>
                Resume
              </Button>
            )
          }
        >
          <p>
            <b>Paused</b> by {queue.paused_by ?? 'someone'} <Time at={queue.paused_at} />
            {queue.pause_reason === null ? '.' : `: ${queue.pause_reason}`}
          </p>
          <p class="soft">Running jobs continue; no more are claimed until it is resumed.</p>
        </Notice>
      )}
      {failing && (
        <Notice
          tone="bad"
          actions={
            <Button look="primary" href={link({ page: 'errors', queue: queue.name })}>
              See errors
            </Button>
          }
        >
          <p>
            <b>
              <Share value={failedRate} /> of its attempts failed
            </b>{' '}
            in the last 15 minutes.
          </p>
          {queue.counts.delayed > 0 && (
            <p class="soft">{count(queue.counts.delayed, 'job')} wait for a retry or for their time.</p>
          )}
        </Notice>
      )}
      {unserved && (
        <Notice tone="bad" actions={<Button href={link({ page: 'workers' })}>Open workers</Button>}>
          <p>
            <b>No live worker claims from this queue.</b> {count(queue.counts.queued, 'job')} wait for one.
          </p>
          <p class="soft mono">holdfast worker ./jobs.js --queue {queue.name}</p>
        </Notice>
      )}
      {queue.counts.blocked > 0 && (
        <Notice
          tone="held"
          actions={
            <>
              <Button href={jobsIn(queue.name, BLOCKED)}>Open jobs</Button>
              {queue.counts.waiting > 0 && (
                <Button href={link({ page: 'targets', queue: queue.name })}>Open targets</Button>
              )}
            </>
          }
        >
          <p>
            <b>{count(queue.counts.blocked, 'job')}</b> {queue.counts.blocked === 1 ? 'needs' : 'need'} a
            person. {queue.counts.waiting > 0 && `${count(queue.counts.waiting, 'job')} wait behind.`}
          </p>
        </Notice>
      )}
    </>
  )
}

/** A parked job has no target, so the page of targets does not show all of them. */
const BLOCKED = 'paused,errored,parked'

const jobsIn = (queue: string, states: string) => link({ page: 'jobs', q: `queue:${queue} state:${states}` })

function Places({ standing: { queue, metrics, perMinute, failedRate } }: { readonly standing: Standing }) {
  const { counts } = queue
  const jobs = (states: string) => jobsIn(queue.name, states)
  const number = (of: keyof Omit<typeof counts, 'capped'>) => <Counted counts={counts} of={of} />
  return (
    <Tiles label="Jobs by place">
      <Tile
        name="ready"
        value={number('queued')}
        href={jobs('queued')}
        note={
          metrics?.oldest_ready_at ? (
            <>
              oldest <Time at={metrics.oldest_ready_at} as="age" />
            </>
          ) : (
            'none waits'
          )
        }
      />
      <Tile
        name="running"
        value={number('running')}
        href={jobs('running')}
        note={queue.policy.max_running === null ? 'no limit' : `of ${formatNumber(queue.policy.max_running)}`}
      />
      <Tile
        name="delayed"
        value={number('delayed')}
        href={jobs('scheduled,retrying')}
        note="scheduled or retrying"
      />
      <Tile name="waiting" value={number('waiting')} href={jobs('waiting')} note="behind their target" />
      <Tile
        name="blocked"
        value={number('blocked')}
        href={jobs(BLOCKED)}
        note="need a person"
        tone={counts.blocked > 0 ? 'held' : undefined}
      />
      <Tile
        name="ended per minute"
        value={<Num value={perMinute} />}
        note={
          <>
            <Share value={failedRate} none="none" /> failed, 15 min
          </>
        }
      />
    </Tiles>
  )
}

function Rest({ standing, priorityMax }: { standing: Standing; priorityMax: number }) {
  const { queue, metrics, workers } = standing
  return (
    <>
      <Halves>
        <Panel title="Ready jobs by priority" aside={metrics && <Num value={metrics.depth} />}>
          <Priorities priorities={metrics?.priorities ?? {}} atMost={priorityMax} />
        </Panel>
        <Panel title="Limits">
          <Limits standing={standing} />
        </Panel>
      </Halves>
      <Panel title="Workers that serve it" flush>
        <Table
          label="Workers of the queue"
          rows={workers}
          rowKey={({ worker }) => worker}
          columns={workerColumns}
          empty={
            <Empty title="No live worker" command={`holdfast worker ./jobs.js --queue ${queue.name}`}>
              Start one that claims from this queue:
            </Empty>
          }
        />
      </Panel>
      <Panel title="Policy" aside={<Badge>{queue.preset}</Badge>}>
        <div class="policy">
          {policyInWords(queue.policy).map(([subject, sentence]) => (
            <Facts key={subject} rows={[[subject, sentence]]} />
          ))}
        </div>
        <details class="policy-raw">
          <summary class="soft">All fields</summary>
          <JsonTree label="Policy" value={queue.policy} />
        </details>
      </Panel>
    </>
  )
}

function Priorities({
  priorities,
  atMost,
}: {
  readonly priorities: Readonly<Record<string, number>>
  readonly atMost: number
}) {
  const rows = Object.entries(priorities)
    .map(([priority, jobs]) => ({ priority: Number(priority), jobs }))
    .sort((a, b) => b.priority - a.priority)
  if (rows.length === 0) return <p class="soft">No job is ready.</p>
  const most = Math.max(...rows.map(({ jobs }) => jobs))
  return (
    <ol class="histogram" aria-label="Ready jobs by priority, the highest first">
      {rows.map(({ priority, jobs }) => (
        <li key={priority}>
          <span class="num soft">{priority}</span>
          <span class="histogram-bar" aria-hidden="true">
            <span style={{ width: `${(jobs / most) * 100}%` }} />
          </span>
          <span class="num">
            <Num value={jobs} atMost={atMost} /> <span class="hidden-visually">jobs</span>
          </span>
        </li>
      ))}
    </ol>
  )
}

function Limits({ standing: { queue, metrics, slots } }: { standing: Standing }) {
  const { policy, counts } = queue
  const rate = rateInWords(policy)
  const hour = metrics?.windows['1h']
  return (
    <Facts
      rows={[
        [
          'Running',
          policy.max_running === null ? (
            `${formatNumber(counts.running)}, no limit`
          ) : (
            <>
              <Meter
                value={counts.running}
                max={policy.max_running}
                label={`${counts.running} of ${policy.max_running} running`}
              />{' '}
              {formatNumber(counts.running)} of {formatNumber(policy.max_running)}
              {counts.running >= policy.max_running && <span class="time"> · full</span>}
            </>
          ),
        ],
        [
          'Slots',
          slots === 0 ? (
            <span class="faint">no live worker</span>
          ) : (
            `${count(slots, 'slot')} of live workers, shared with their other queues`
          ),
        ],
        ['Rate', rate ?? 'no limit'],
        rate === null || policy.rate_per_key || hour === undefined || policy.rate_limit === null
          ? null
          : [
              'Used, 1 h',
              <RateUse
                key="use"
                started={hour.started}
                allowed={(policy.rate_limit * 3_600_000) / policy.rate_period_ms}
              />,
            ],
        ['Per target', policy.serialize_targets ? count(policy.max_running_per_target, 'job') : 'no limit'],
        [
          'Average wait',
          <Duration key="wait" ms={hour?.average_wait_ms} none="nothing started in the last hour" />,
        ],
        [
          'Average run',
          <Duration key="run" ms={hour?.average_run_ms} none="nothing ended in the last hour" />,
        ],
      ]}
    />
  )
}

function RateUse({ started, allowed }: { started: number; allowed: number }) {
  const label = `${formatNumber(started)} of ${formatNumber(allowed)} starts`
  return (
    <>
      <Meter value={started} max={allowed} label={label} /> {label}
    </>
  )
}
