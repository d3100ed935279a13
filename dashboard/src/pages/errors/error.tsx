/** One group of errors: since when, how often, which kinds, samples with their stack; retry of all its jobs. */
import { call } from '../../api/call.js'
import type { AnswerOf } from '../../api/contract.js'
import { useResource } from '../../api/resource.js'
import { may } from '../../state/session.js'
import { link, textParam } from '../../state/url.js'
import { StateBadge } from '../../ui/badge.jsx'
import { Button } from '../../ui/button.jsx'
import { CopyButton } from '../../ui/copy.jsx'
import { count } from '../../ui/format.js'
import { Empty, Loaded } from '../../ui/loaded.jsx'
import { Facts, Page, Panel } from '../../ui/panel.jsx'
import { Num, Time } from '../../ui/value.jsx'
import { Halves, Tile, Tiles } from '../parts/parts.jsx'
import './errors.css'
import { GroupTrend, Kinds } from './group.jsx'
import { retryGroup } from './retry.js'

const fingerprint = textParam('id')

type Group = AnswerOf<'GET /api/v1/errors/{fingerprint}'>

export function ErrorPage() {
  const group = useResource(
    (signal) =>
      call('GET /api/v1/errors/{fingerprint}', { params: { fingerprint: fingerprint.value }, signal }),
    [],
    { everyMs: 10_000 },
  )
  const data = group.data.value
  const retry = async () => {
    await retryGroup(fingerprint.value)
    await group.reload()
  }
  return (
    <Page
      title={data === undefined ? 'Error' : <span class="error-message">{data.message ?? 'No message'}</span>}
      name="Error"
      subtitle={data && <Subtitle group={data} />}
      actions={
        data !== undefined && (
          <>
            <Button href={link({ page: 'jobs', q: data.search })}>Failed jobs</Button>
            {may('operate') && (
              <Button look="primary" action="retry" onClick={retry}>
                Retry the group…
              </Button>
            )}
          </>
        )
      }
    >
      <Loaded of={group} rows={8}>
        {(loaded) => <About group={loaded} />}
      </Loaded>
    </Page>
  )
}

function Subtitle({ group: { error_class: name, count_24h: recent } }: { readonly group: Group }) {
  return (
    <>
      {name !== null && name !== 'Error' && (
        <>
          <span class="mono">{name}</span> ·{' '}
        </>
      )}
      {count(recent, 'attempt')} in the last 24 hours
    </>
  )
}

function About({ group }: { readonly group: Group }) {
  return (
    <>
      <Tiles label="The error in numbers">
        <Tile name="attempts in 24 h" value={<Num value={group.count_24h} compact />} />
        <Tile name="attempts in all" value={<Num value={group.count} compact />} />
        <Tile
          name="first seen"
          value={<Time at={group.first_seen_at} />}
          note={version(group.first_version)}
        />
        <Tile name="last seen" value={<Time at={group.last_seen_at} />} note={version(group.last_version)} />
      </Tiles>
      <Halves>
        <Panel title="Attempts per hour, last 24 hours">
          <div class="trend-wide">
            <GroupTrend group={group} height={72} />
          </div>
        </Panel>
        <Panel title="Where">
          <Facts
            rows={[
              ['Kinds', <Kinds key="kinds" names={group.kinds} />],
              [
                'Queues',
                <span key="queues" class="row">
                  {group.queues.map((name) => (
                    <a key={name} href={link({ page: 'queue', name })}>
                      {name}
                    </a>
                  ))}
                </span>,
              ],
              [
                'Search',
                <span key="search" class="row">
                  <code>{group.search}</code>
                  <CopyButton text={group.search} />
                </span>,
              ],
            ]}
          />
        </Panel>
      </Halves>
      {group.samples.length === 0 && (
        <Panel title="Samples">
          <Empty title="No attempt with this error is stored any more" />
        </Panel>
      )}
      {group.samples.map((sample) => (
        <Sample key={`${sample.job_id}/${sample.attempt}`} sample={sample} />
      ))}
    </>
  )
}

const version = (text: string | null) => (text === null || text === '' ? undefined : `version ${text}`)

function Sample({ sample }: { readonly sample: Group['samples'][number] }) {
  const { job_id: id, kind, attempt, at, state, worker, message, stack } = sample
  return (
    <Panel
      title={
        <>
          <a href={link({ page: 'job', id })}>
            {kind} <span class="mono">#{id}</span>
          </a>{' '}
          attempt {attempt}
        </>
      }
      aside={
        <>
          {state !== null && <StateBadge state={state} />}
          {worker !== null && <span class="mono">{worker}</span>}
          <Time at={at} />
        </>
      }
    >
      <section class="stack-trace" tabIndex={0} aria-label={`Stack of job ${id}`}>
        <pre>{stack ?? message ?? 'No message'}</pre>
      </section>
    </Panel>
  )
}
