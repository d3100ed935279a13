/** One kind: rate, percentiles, failures, and each version that ran it, as marks in the charts. */
import { useMemo } from 'preact/hooks'
import { call } from '../../api/call.js'
import type { AnswerOf } from '../../api/contract.js'
import { useResource } from '../../api/resource.js'
import { link, textParam } from '../../state/url.js'
import { Badge } from '../../ui/badge.jsx'
import { Button } from '../../ui/button.jsx'
import { count, formatDuration } from '../../ui/format.js'
import { Empty, Loaded } from '../../ui/loaded.jsx'
import { Facts, Page, Panel } from '../../ui/panel.jsx'
import { Table } from '../../ui/table.jsx'
import { Duration, Num, Share, Time } from '../../ui/value.jsx'
import { Halves, Notice, Tile, Tiles } from '../parts/parts.jsx'
import { SeriesCharts } from '../parts/series.jsx'

const name = textParam('name')

type Kind = AnswerOf<'GET /api/v1/kinds/{kind}'>

export function KindPage() {
  const kind = useResource(
    (signal) => call('GET /api/v1/kinds/{kind}', { params: { kind: name.value }, signal }),
    [],
    { everyMs: 10_000 },
  )
  const data = kind.data.value
  const marks = useMemo(
    () =>
      (data?.versions ?? [])
        .filter(({ version }) => version !== '')
        .map(({ version, first_seen_at: at }) => ({ at: Date.parse(at), label: version })),
    [data],
  )
  return (
    <Page
      title={name.value}
      name={`Kind ${name.value}`}
      subtitle={data && summaryOf(data)}
      actions={
        <>
          <Button href={link({ page: 'errors', kind: name.value })}>Errors</Button>
          <Button href={link({ page: 'jobs', q: `kind:${name.value}` })}>Jobs</Button>
        </>
      }
    >
      <Loaded of={kind} rows={6}>
        {(loaded) => (
          <>
            <Failing kind={loaded} />
            <Numbers kind={loaded} />
          </>
        )}
      </Loaded>
      <SeriesCharts kind={name.value} marks={marks} />
      {data !== undefined && (
        <Halves>
          <Versions kind={data} />
          <Declaration kind={data} />
        </Halves>
      )}
    </Page>
  )
}

function summaryOf({ queues, workers }: Kind) {
  return (
    <>
      {queues.length === 0 ? 'Kind of jobs' : 'Kind of jobs in '}
      {queues.map((queue, n) => (
        <span key={queue}>
          {n > 0 && ', '}
          <a href={link({ page: 'queue', name: queue })}>{queue}</a>
        </span>
      ))}
      , {workers === 0 ? 'handled by no live worker.' : `handled by ${count(workers, 'worker')}.`}
    </>
  )
}

const FAILING_SHARE = 0.2

function Failing({ kind }: { readonly kind: Kind }) {
  const { last_error: error, fails_since_version: version, last_hour: hour } = kind
  if (version === null && (hour.failed_rate ?? 0) < FAILING_SHARE) return null
  return (
    <Notice
      tone="bad"
      actions={
        error?.fingerprint && (
          <Button look="primary" href={link({ page: 'error', id: error.fingerprint })}>
            See the error
          </Button>
        )
      }
    >
      <p>
        <b>
          {version === null ? 'It fails' : `It fails since ${version}`}
          {hour.failed_rate !== null && (
            <>
              : <Share value={hour.failed_rate} /> of attempts in the last hour
            </>
          )}
        </b>
      </p>
      {error !== null && (
        <p class="soft">
          {error.message} · <Time at={error.at} />
        </p>
      )}
    </Notice>
  )
}

function Numbers({ kind: { last_hour: hour, last_day: day, version } }: { readonly kind: Kind }) {
  return (
    <Tiles label="The kind in numbers">
      <Tile
        name="attempts in 1 h"
        value={<Num value={hour.attempts} compact />}
        note={
          <>
            <Num value={day.attempts} compact /> in 24 h
          </>
        }
      />
      <Tile
        name="failed in 1 h"
        value={<Share value={hour.failed_rate} />}
        tone={(hour.failed_rate ?? 0) >= FAILING_SHARE ? 'bad' : undefined}
        note={
          <>
            <Share value={day.failed_rate} /> in 24 h
          </>
        }
      />
      <Tile
        name="run p50, 24 h"
        value={<Duration ms={day.run.p50} />}
        note={
          <>
            p95 <Duration ms={day.run.p95} /> · p99 <Duration ms={day.run.p99} />
          </>
        }
      />
      <Tile
        name="wait p50, 24 h"
        value={<Duration ms={day.wait.p50} />}
        note={
          <>
            p95 <Duration ms={day.wait.p95} /> · p99 <Duration ms={day.wait.p99} />
          </>
        }
      />
      <Tile
        name="version"
        value={version === null || version === '' ? '–' : version}
        note="that ran it last"
      />
    </Tiles>
  )
}

function Versions({ kind }: { readonly kind: Kind }) {
  return (
    <Panel title="Versions" flush>
      <Table
        label="Versions"
        rows={kind.versions}
        rowKey={({ version }) => version}
        columns={[
          {
            name: 'version',
            label: 'version',
            cell: ({ version }) => (
              <span class="cell-name">
                <span class="mono">{version === '' ? 'none reported' : version}</span>
                {version !== '' && version === kind.fails_since_version && (
                  <Badge tone="bad">fails since</Badge>
                )}
              </span>
            ),
          },
          { name: 'first', label: 'first', align: 'end', cell: ({ first_seen_at: at }) => <Time at={at} /> },
          {
            name: 'last',
            label: 'last',
            align: 'end',
            wideOnly: true,
            cell: ({ last_seen_at: at }) => <Time at={at} />,
          },
          {
            name: 'attempts',
            label: 'attempts',
            align: 'end',
            cell: ({ attempts }) => <Num value={attempts} compact />,
          },
          {
            name: 'failed',
            label: 'failed',
            align: 'end',
            cell: ({ failed_rate: share }) => (
              <span class={(share ?? 0) >= FAILING_SHARE ? 'bad' : undefined}>
                <Share value={share} />
              </span>
            ),
          },
        ]}
        empty={<Empty title="No attempt is counted yet" />}
      />
    </Panel>
  )
}

function Declaration({ kind: { declared, first_seen_at: first } }: { readonly kind: Kind }) {
  return (
    <Panel title="Declaration">
      {declared === null ? (
        <p class="soft">
          No program declares it; jobs of this kind were first seen <Time at={first} />.
        </p>
      ) : (
        <Facts
          rows={[
            [
              'Queue',
              <a key="queue" href={link({ page: 'queue', name: declared.queue })}>
                {declared.queue}
              </a>,
            ],
            ['Retries', declared.max_retries ?? 'as its queue'],
            [
              'Time limit',
              declared.timeout_ms === null ? 'as its queue' : formatDuration(declared.timeout_ms),
            ],
            ['Priority', declared.priority ?? '20'],
            ['Key', template(declared.key, declared.by_program.includes('key'))],
            ['Target', template(declared.target, declared.by_program.includes('target'))],
            [
              'Declared',
              <>
                <Time at={declared.declared_at} />
                {declared.declared_by !== null && ` by ${declared.declared_by}`}
              </>,
            ],
          ]}
        />
      )}
    </Panel>
  )
}

function template(text: string | null, byProgram: boolean) {
  if (byProgram) return 'a function of the program'
  return text === null ? 'none' : <span class="mono">{text}</span>
}
