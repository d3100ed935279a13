/** The first page: what needs an operator, in sentences with buttons; then the flow, the charts and the queues. */
import { type Overview, overviewResource } from '../../state/counts.js'
import { count, formatNumber, formatShare } from '../../ui/format.js'
import { Empty, Loaded, Skeleton } from '../../ui/loaded.jsx'
import { Page, Panel } from '../../ui/panel.jsx'
import { Charts } from './charts.jsx'
import { FlowPanel } from './flow.jsx'
import './overview.css'
import { Problems } from './problems.jsx'
import { Queues } from './queues.jsx'

/** They work against this server, whatever its address. */
const firstJob = () => `export HOLDFAST_SERVER=${document.baseURI.replace(/\/?([?#].*)?$/, '')}
holdfast enqueue mail welcome '{"to":"ada@example.org"}'
holdfast worker ./jobs.js   # exports defineJob({ kind: 'welcome', queue: 'mail', handler })`

export function OverviewPage() {
  const resource = overviewResource.value
  const data = resource?.data.value
  return (
    <Page
      name="Overview"
      title={data === undefined ? 'Overview' : titleOf(data)}
      subtitle={data === undefined ? '\u00a0' : subtitleOf(data)}
    >
      {resource === null ? (
        <Panel>
          <Skeleton rows={8} />
        </Panel>
      ) : (
        <Loaded of={resource} rows={8}>
          {(loaded) => <Contents data={loaded} reload={() => resource.reload()} />}
        </Loaded>
      )}
    </Page>
  )
}

function Contents({ data, reload }: { readonly data: Overview; readonly reload: () => Promise<void> }) {
  const empty = isEmpty(data)
  return (
    <>
      {data.problems.length > 0 && <Problems problems={data.problems} reload={reload} />}
      {empty && (
        <Panel title="The first job" flush>
          <Empty title="Three lines enqueue a job and run it" command={firstJob()}>
            This page fills as it runs.
          </Empty>
        </Panel>
      )}
      <FlowPanel flow={data.flow} />
      {!empty && <Charts />}
      {!empty && <Queues problems={data.problems} />}
    </>
  )
}

function isEmpty({ counts, flow: { ended_24h: ended } }: Overview): boolean {
  return (
    counts.jobs.count === 0 && ended.succeeded + ended.failed + ended.canceled === 0 && counts.kinds === 0
  )
}

function titleOf(data: Overview): string {
  const { length } = data.problems
  if (length > 0)
    return `${data.problems_capped ? `${length}+` : length} ${length === 1 ? 'thing needs' : 'things need'} you`
  return isEmpty(data) ? 'Ready for the first job' : 'Everything is moving'
}

function subtitleOf({ problems, flow: { per_minute: rate, places, ended_24h: day } }: Overview): string {
  const moving = places.ready.count + places.running.count + places.delayed.count
  const ended24h = day.succeeded + day.failed + day.canceled
  if (rate.ended === 0) {
    const now = moving === 0 ? 'No job waits, none runs' : `${count(moving, 'job')} on the way`
    return ended24h === 0 ? `${now}.` : `${now}; ${count(ended24h, 'job')} ended in 24 hours.`
  }
  const ended = `${formatNumber(rate.ended < 10 ? Math.round(rate.ended * 10) / 10 : Math.round(rate.ended))} jobs end per minute, ${formatShare(rate.succeeded / rate.ended)} of them succeeded.`
  return problems.length === 0 ? ended : `Everything else is moving: ${ended}`
}
