/** The facts of a job and its items. */
import { call } from '../../api/call.js'
import { useResource } from '../../api/resource.js'
import { link } from '../../state/url.js'
import { Button } from '../../ui/button.jsx'
import { JsonTree } from '../../ui/json-tree.jsx'
import { Loaded } from '../../ui/loaded.jsx'
import { Facts, Panel } from '../../ui/panel.jsx'
import { Num, Time } from '../../ui/value.jsx'
import type { Job } from './timeline.js'

const found = (q: string) => link({ page: 'jobs', q })
/** As a value of a search: quoted where it must be. */
const value = (text: string) => (/[\s,"\\]/.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : text)

/** Of a W3C traceparent, the part that names the trace. */
const traceId = (trace: string) => trace.split('-')[1] ?? trace

export function FactsPanel({ job }: { readonly job: Job }) {
  const losses = job.losses ?? 0
  return (
    <Panel title="Facts">
      <Facts
        rows={[
          [
            'state',
            <>
              <b>{job.state}</b>
              {job.status.toLowerCase() !== job.state && (
                <span class="soft"> · {job.status} in words of its preset</span>
              )}
            </>,
          ],
          [
            'priority',
            <span key="p">
              <Num value={job.priority} />
              {job.priority !== job.initial_priority && (
                <span class="soft"> raised from {job.initial_priority}</span>
              )}
            </span>,
          ],
          [
            'attempts',
            <span key="a">
              {job.attempt}
              <span class="soft">
                {' '}
                · {job.failures} of {job.max_retries + 1} failures
                {losses > 0 && `, ${losses} lost`}
              </span>
            </span>,
          ],
          job.key === null
            ? null
            : [
                'key',
                <a key="k" class="mono" href={found(`key:${value(job.key)}`)}>
                  {job.key}
                </a>,
              ],
          job.target === null
            ? null
            : [
                'target',
                <a key="t" class="mono" href={found(`target:${value(job.target)}`)}>
                  {job.target}
                </a>,
              ],
          job.subject === null
            ? null
            : [
                'subject',
                <span key="s" class="mono">
                  {job.subject}
                </span>,
              ],
          job.trace === null
            ? null
            : [
                'trace',
                <a key="t" class="mono" title={job.trace} href={found(`trace:${value(traceId(job.trace))}`)}>
                  {traceId(job.trace).slice(0, 16)}…
                </a>,
              ],
          [
            'created',
            <span key="c">
              <Time at={job.created_at} /> <span class="soft">by {job.created_by}</span>
            </span>,
          ],
          job.state === 'scheduled' || job.state === 'retrying'
            ? ['due', <Time key="d" at={job.visible_at} />]
            : null,
          job.finished_at === null ? null : ['ended', <Time key="e" at={job.finished_at} />],
          [
            'lease',
            job.lease_owner === null ? (
              <span key="l" class="soft">
                none
              </span>
            ) : (
              <span key="l">
                <a href={link({ page: 'worker', name: job.lease_owner })}>{job.lease_owner}</a>
                <span class="soft">
                  {' '}
                  until <Time at={job.lease_expires_at} as="seconds" />
                </span>
              </span>
            ),
          ],
          job.token_limit === null && job.tokens_used === 0
            ? null
            : [
                'tokens',
                <span key="t">
                  <Num value={job.tokens_used} />
                  {job.token_limit !== null && (
                    <span class="soft">
                      {' '}
                      of <Num value={job.token_limit} />
                    </span>
                  )}
                </span>,
              ],
          job.labels === null || Object.keys(job.labels).length === 0
            ? null
            : [
                'labels',
                <span key="l" class="row labels">
                  {Object.entries(job.labels).map(([name, text]) => (
                    <a key={name} class="badge mono" href={found(`label.${name}:${value(text)}`)}>
                      {name}={text}
                    </a>
                  ))}
                </span>,
              ],
        ]}
      />
    </Panel>
  )
}

export function ItemsPanel({ job }: { readonly job: Job }) {
  const items = useResource(
    async (signal) =>
      job.result_count === 0
        ? null
        : call('GET /api/v1/items', { query: { job_id: job.id, page_size: 50 }, signal }),
    [job.id, job.result_count === 0],
    { live: (event) => event.job_ids.includes(job.id) },
  )
  if (job.result_count === 0) return null
  const file = (format: string) => `api/v1/items/export?job_id=${job.id}&format=${format}`
  return (
    <Panel
      title={
        <>
          Items{' '}
          <span class="soft">
            <Num value={job.result_count} />
          </span>
        </>
      }
      aside={
        <span class="row">
          <Button look="quiet" href={file('csv')} download>
            CSV
          </Button>
          <Button look="quiet" href={file('json')} download>
            JSON
          </Button>
        </span>
      }
    >
      <Loaded of={items}>
        {(data) => (
          <>
            <JsonTree label="Items" value={(data?.items ?? []).map((each) => each.data)} />
            {data?.next_page_token && <p class="soft small">The first 50. The export has all of them.</p>}
          </>
        )}
      </Loaded>
    </Panel>
  )
}
