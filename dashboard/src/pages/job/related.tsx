/** What enqueued this job, what it enqueued, what it retries and what retries it, as a tree. */
import { call } from '../../api/call.js'
import { type Resource, useResource } from '../../api/resource.js'
import { link } from '../../state/url.js'
import { StateBadge } from '../../ui/badge.jsx'
import { Panel } from '../../ui/panel.jsx'
import { type Family, familyOf, type Member } from './family.js'
import type { Job } from './timeline.js'

const HOW: Readonly<Record<NonNullable<Member['how']>, string>> = {
  child: 'enqueued by it',
  retry: 'retry of it',
  trace: 'same trace',
}

export function RelatedPanel({ job }: { readonly job: Job }) {
  const related: Resource<Family> = useResource(
    (signal) => call('GET /api/v1/jobs/{id}/related', { params: { id: job.id }, signal }),
    [job.id],
    {
      live: ({ type, job_ids }) => {
        const known = related.data.peek()?.jobs ?? []
        // A new child is the event of a job that is not known yet.
        const mayHaveMore = known.some(({ id, finished_at }) => id === job.id && finished_at === null)
        return (type === 'enqueued' && mayHaveMore) || known.some(({ id }) => job_ids.includes(id))
      },
      everyMs: 3_000,
    },
  )
  const data = related.data.value
  if (data === undefined || (data.jobs.length < 2 && data.complete)) return null
  return (
    <Panel title="Related jobs" aside={data.complete ? undefined : 'those found; there may be more'}>
      {data.jobs.length < 2 ? (
        <p class="soft">None among the jobs that were enqueued soon after it first ran.</p>
      ) : (
        <Tree members={familyOf(job.id, data.jobs)} id={job.id} label="Related jobs" />
      )}
    </Panel>
  )
}

interface TreeProps {
  readonly members: readonly Member[]
  readonly id: number
  readonly label?: string
}

function Tree({ members, id, label }: TreeProps) {
  return (
    <ul class="family" aria-label={label}>
      {members.map(({ job, how, below }) => (
        <li key={job.id}>
          <div class="row">
            {job.id === id ? (
              <b aria-current="true">
                {job.kind} <span class="mono">#{job.id}</span>
              </b>
            ) : (
              <a href={link({ page: 'job', id: job.id })}>
                {job.kind} <span class="mono">#{job.id}</span>
              </a>
            )}
            <StateBadge state={job.state} status={job.status} />
            {how !== null && <span class="soft small">{HOW[how]}</span>}
          </div>
          {below.length > 0 && <Tree members={below} id={id} />}
        </li>
      ))}
    </ul>
  )
}
