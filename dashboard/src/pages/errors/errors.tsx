/** Groups of errors: failed attempts with the same fingerprint, the last seen first. */
import { call } from '../../api/call.js'
import { useResource } from '../../api/resource.js'
import { now } from '../../state/clock.js'
import { may } from '../../state/session.js'
import { link, textParam } from '../../state/url.js'
import { Badge } from '../../ui/badge.jsx'
import { Button } from '../../ui/button.jsx'
import { count } from '../../ui/format.js'
import { Empty, Loaded } from '../../ui/loaded.jsx'
import { Page, Panel } from '../../ui/panel.jsx'
import { Num } from '../../ui/value.jsx'
import '../parts/parts.css'
import './errors.css'
import { type ErrorGroup, GroupTrend, isRecent, Kinds, Seen } from './group.jsx'
import { retryGroup } from './retry.js'

const queue = textParam('queue')
const kind = textParam('kind')
const PAGE = 100

export function ErrorsPage() {
  const errors = useResource(
    (signal) =>
      call('GET /api/v1/errors', {
        query: { queue: queue.value || undefined, kind: kind.value || undefined, page_size: PAGE },
        signal,
      }),
    [],
    { everyMs: 10_000 },
  )
  const filter = [
    queue.value === '' ? '' : `queue ${queue.value}`,
    kind.value === '' ? '' : `kind ${kind.value}`,
  ].filter((each) => each !== '')
  return (
    <Page
      title="Errors"
      subtitle={
        filter.length === 0 ? (
          summaryOf(errors.data.value?.groups)
        ) : (
          <>
            Of {filter.join(' and ')} · <a href={link({ page: 'errors' })}>All</a>
          </>
        )
      }
    >
      <Panel flush>
        <Loaded of={errors} rows={8}>
          {({ groups, next_page_token: more }) =>
            groups.length === 0 ? (
              <Empty title="No attempt has failed" command="holdfast jobs list --state failed">
                Failed attempts with the same error are listed here as one. On the command line:
              </Empty>
            ) : (
              <>
                <ul class="error-groups" aria-label="Error groups">
                  {groups.map((group) => (
                    <Group key={group.fingerprint} group={group} />
                  ))}
                </ul>
                {more !== null && <p class="table-more soft">The {PAGE} groups that were seen last.</p>}
              </>
            )
          }
        </Loaded>
      </Panel>
    </Page>
  )
}

function summaryOf(groups: readonly ErrorGroup[] | undefined): string | undefined {
  if (groups === undefined || groups.length === 0) return undefined
  const recent = groups.filter((each) => isRecent(each, now.value)).length
  const today = groups.reduce((sum, each) => sum + each.count_24h, 0)
  return `${count(today, 'failed attempt')} in 24 hours. ${
    recent === 0 ? 'None in the last 15 minutes.' : `${count(recent, 'group')} in the last 15 minutes.`
  }`
}

function Group({ group }: { readonly group: ErrorGroup }) {
  const { fingerprint, message, error_class: type, kinds } = group
  return (
    <li data-row tabIndex={-1}>
      <div class="error-what">
        <p class="error-message">
          {fingerprint === '' ? (
            <b>Other errors</b>
          ) : (
            <a href={link({ page: 'error', id: fingerprint })}>{message}</a>
          )}
        </p>
        <p class="soft small">
          {type !== null && type !== 'Error' && <span class="mono">{type} </span>}
          {isRecent(group, now.value) && <Badge tone="bad">now</Badge>} <Kinds names={kinds} /> ·{' '}
          <Seen group={group} />
        </p>
      </div>
      <GroupTrend group={group} />
      <p class="num">
        <span class="error-count">
          <Num value={group.count_24h} compact />
        </span>
        <span class="faint small"> in 24 h</span>
      </p>
      {may('operate') && fingerprint !== '' ? (
        <Button
          label={`Retry the failed jobs of: ${message}`}
          action="retry"
          onClick={() => retryGroup(fingerprint)}
        >
          Retry…
        </Button>
      ) : (
        <span />
      )}
    </li>
  )
}
