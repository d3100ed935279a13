/** One job: why it is not running, its story, its log, what went in and what came out. */
import { useState } from 'preact/hooks'
import { call } from '../../api/call.js'
import { writeJson } from '../../api/json.js'
import { type Resource, useResource } from '../../api/resource.js'
import type { LiveEvent } from '../../state/live.js'
import { link, numberParam } from '../../state/url.js'
import { StateBadge } from '../../ui/badge.jsx'
import { Button } from '../../ui/button.jsx'
import { CopyAs, CopyButton } from '../../ui/copy.jsx'
import { JsonTree } from '../../ui/json-tree.jsx'
import { Empty, ErrorState, Loaded, Skeleton } from '../../ui/loaded.jsx'
import { Page, Panel } from '../../ui/panel.jsx'
import { Time } from '../../ui/value.jsx'
import { JobActions } from './actions.jsx'
import { CloneDialog } from './clone.jsx'
import { copyForms } from './copy-as.js'
import { StateDiagram } from './diagram.jsx'
import { FactsPanel, ItemsPanel } from './facts.jsx'
import './job.css'
import { KindDay } from './kind-day.jsx'
import { LogPanel } from './log.jsx'
import { RelatedPanel } from './related.jsx'
import { StoryPanel } from './story.jsx'
import type { Job } from './timeline.js'
import { verbOfAnswer, Why } from './why.jsx'

const id = numberParam('id')

export function JobPage() {
  if (id.value === null) {
    return (
      <Page title="No such job">
        <Panel>
          <Empty title="The address has no id of a job">
            Search for it above by id, key, target or trace.
          </Empty>
        </Panel>
      </Page>
    )
  }
  return <OneJob key={id.value} id={id.value} />
}

function OneJob({ id }: { readonly id: number }) {
  const live = { live: (event: LiveEvent) => event.job_ids.includes(id), everyMs: 1_000, pollMs: 10_000 }
  const params = { id }
  // Progress is no event: while the job runs, its page looks every second.
  const job: Resource<Job> = useResource(
    (signal) => call('GET /api/v1/jobs/{id}', { params, signal }),
    [id],
    { ...live, pollMs: () => (job.data.peek()?.state === 'running' ? 1_000 : 10_000) },
  )
  const attempts = useResource(
    (signal) => call('GET /api/v1/jobs/{id}/attempts', { params, signal }),
    [id],
    live,
  )
  const events = useResource((signal) => call('GET /api/v1/jobs/{id}/events', { params, signal }), [id], live)
  const explained = useResource((signal) => call('GET /api/v1/jobs/{id}/explain', { params, signal }), [id], {
    everyMs: 2_000,
    pollMs: 10_000,
  })
  const [cloning, setCloning] = useState(false)
  const changed = () => Promise.all([job, attempts, events, explained].map((each) => each.reload()))
  const data = job.data.value
  if (data === undefined) {
    const failure = job.failure.value
    const isUnknown = failure?.code === 'unknown_job'
    return (
      <Page title={isUnknown ? `There is no job ${id}` : `Job ${id}`} name={`Job ${id}`}>
        {failure === null ? (
          <Skeleton rows={8} />
        ) : isUnknown ? (
          <Panel flush>
            <Empty title={failure.remedy} action={<Button href={link({ page: 'jobs' })}>All jobs</Button>}>
              The search above finds jobs by id, key, target or trace.
            </Empty>
          </Panel>
        ) : (
          <ErrorState failure={failure} retry={() => job.reload()} />
        )}
      </Page>
    )
  }
  const ended = attempts.data.value?.attempts ?? []
  return (
    <Page
      name={`${data.kind} #${id}`}
      title={
        <>
          {data.kind} <span class="job-id mono">#{id}</span>{' '}
          <StateBadge state={data.state} status={data.status} />
        </>
      }
      subtitle={<Subtitle job={data} />}
      actions={
        <JobActions
          job={data}
          changed={changed}
          clone={() => setCloning(true)}
          without={verbOfAnswer(data, explained.data.value)}
        />
      }
    >
      <Why job={data} explained={explained} changed={changed} />
      <Loaded of={job}>
        {() => (
          <div class="job-grid">
            <div class="stack">
              <Loaded of={attempts}>{() => <StoryPanel job={data} attempts={ended} />}</Loaded>
              <LogPanel job={data} events={events} attempts={ended} />
              <Panel title="States">
                <StateDiagram job={data} attempts={ended} />
              </Panel>
              <ItemsPanel job={data} />
            </div>
            <div class="stack">
              <Payloads job={data} />
              <FactsPanel job={data} />
              <RelatedPanel job={data} />
              <KindDay kind={data.kind} />
            </div>
          </div>
        )}
      </Loaded>
      {cloning && <CloneDialog job={data} close={() => setCloning(false)} />}
    </Page>
  )
}

function Subtitle({ job }: { readonly job: Job }) {
  return (
    <>
      <a href={link({ page: 'queue', name: job.queue })}>{job.queue}</a>
      {job.target !== null && (
        <>
          {' '}
          · target <span class="mono">{job.target}</span>
        </>
      )}{' '}
      · enqueued <Time at={job.created_at} /> by <span class="mono">{job.created_by}</span>
    </>
  )
}

function Payloads({ job }: { readonly job: Job }) {
  const has = (value: unknown) => value !== null && value !== undefined
  return (
    <>
      <Panel
        title="Input"
        aside={
          <span class="row">
            <CopyButton text={writeJson(job.input ?? null, 2)} />
            <CopyAs forms={copyForms(job, document.baseURI.replace(/[?#].*$/, ''))} />
          </span>
        }
      >
        <JsonTree value={job.input ?? null} label="Input" />
      </Panel>
      {has(job.result) && (
        <Panel title="Result" aside={<CopyButton text={writeJson(job.result, 2)} />}>
          <JsonTree value={job.result} label="Result" />
        </Panel>
      )}
      {has(job.progress) && (
        <Panel title="Progress" aside={<Time at={job.last_progress_at} />}>
          <JsonTree value={job.progress} label="Progress" />
          {has(job.last_cursor) && (
            <details>
              <summary class="soft small">Cursor</summary>
              <JsonTree value={job.last_cursor} label="Cursor" />
            </details>
          )}
        </Panel>
      )}
    </>
  )
}
