/** Alerts: what fires, its history, its rules, and the webhooks that receive it. */
import { ALERT_RULES } from '../../../../src/domain/alerts.js'
import { call } from '../../api/call.js'
import type { AnswerOf } from '../../api/contract.js'
import { usePages } from '../../api/pages.js'
import { useResource } from '../../api/resource.js'
import { may } from '../../state/session.js'
import { choiceParam, link, numberParam } from '../../state/url.js'
import { Badge, type Tone } from '../../ui/badge.jsx'
import { Button } from '../../ui/button.jsx'
import { Choices } from '../../ui/field.jsx'
import { count, formatNumber, formatUnit } from '../../ui/format.js'
import { Empty, Loaded } from '../../ui/loaded.jsx'
import { More } from '../../ui/more.jsx'
import { Page, Panel } from '../../ui/panel.jsx'
import { type Column, Table } from '../../ui/table.jsx'
import { act } from '../../ui/toast.jsx'
import { Time } from '../../ui/value.jsx'
import './alerts.css'
import { Rules } from './rules.jsx'
import { silence } from './silence.js'
import { Webhooks } from './webhooks.jsx'

type Alert = AnswerOf<'GET /api/v1/alerts'>['alerts'][number]
type AlertEvent = AnswerOf<'GET /api/v1/alerts/history'>['events'][number]

const tab = choiceParam('tab', ['alerts', 'history', 'rules', 'webhooks'], 'alerts')
const lit = numberParam('id')

export function AlertsPage() {
  const alerts = useResource(
    (signal) => call('GET /api/v1/alerts', { query: { page_size: 100 }, signal }),
    [],
    {
      // Alerts have no events in the stream: they are evaluated every few seconds.
      live: () => false,
      pollMs: 10_000,
    },
  )
  const firing = alerts.data.value?.alerts.filter(({ state }) => state === 'firing').length
  return (
    <Page
      name="Alerts"
      title={
        firing === undefined
          ? 'Alerts'
          : firing === 0
            ? 'No alert fires'
            : `${count(firing, 'alert')} ${firing === 1 ? 'fires' : 'fire'}`
      }
      subtitle="Holdfast watches itself and calls your webhooks."
      actions={
        <Choices
          label="Part of the page"
          value={tab.value}
          onInput={(value) => (tab.value = value)}
          choices={[
            ['alerts', 'Alerts'],
            ['history', 'History'],
            ['rules', 'Rules'],
            ...(may('admin') ? ([['webhooks', 'Webhooks']] as const) : []),
          ]}
        />
      }
    >
      {tab.value === 'alerts' && (
        <Loaded of={alerts} rows={5}>
          {(data) => <Alerts alerts={data.alerts} reload={() => alerts.reload()} />}
        </Loaded>
      )}
      {tab.value === 'history' && <History />}
      {tab.value === 'rules' && <Rules />}
      {tab.value === 'webhooks' && may('admin') && <Webhooks />}
    </Page>
  )
}

function Alerts({
  alerts,
  reload,
}: {
  readonly alerts: readonly Alert[]
  readonly reload: () => Promise<void>
}) {
  if (alerts.length === 0) {
    return (
      <Panel flush>
        <Empty title="Nothing is wrong" command="holdfast alerts rules">
          The rules say when an alert fires; a webhook brings it to you.
        </Empty>
      </Panel>
    )
  }
  const order = { firing: 0, pending: 1, cleared: 2 }
  const sorted = [...alerts].sort((a, b) => order[a.state] - order[b.state] || a.since.localeCompare(b.since))
  return (
    <section class="panel" aria-label="Alerts">
      <ol class="alerts">
        {sorted.map((alert) => (
          <li
            key={alert.id}
            class={`${toneOfAlert(alert)}${alert.id === lit.value ? ' lit' : ''}`}
            data-row={alert.id}
            tabIndex={-1}
          >
            <div class="grow">
              <p>
                {alert.summary} <Badge tone={toneOfAlert(alert)}>{alert.state}</Badge>
              </p>
              <p class="soft small">
                {alert.rule} · {measured(alert, alert.value)} now, limit {measured(alert, alert.threshold)} ·
                since <Time at={alert.since} as="clock" />
                {alert.tenant === '*' && ' · the whole installation'}
                {alert.silenced_until !== null && (
                  <>
                    {' '}
                    · silenced {alert.silenced_by !== null && `by ${alert.silenced_by} `}until{' '}
                    <Time at={alert.silenced_until} as="clock" />
                    {alert.silence_reason !== null && `: ${alert.silence_reason}`}
                  </>
                )}
              </p>
            </div>
            <div class="row">
              <OpenSubject alert={alert} />
              {may('operate') && <SilenceKeys alert={alert} reload={reload} />}
            </div>
          </li>
        ))}
      </ol>
    </section>
  )
}

function toneOfAlert({ state, silenced_until: silenced }: Alert): Tone {
  if (state === 'pending') return 'time'
  return state === 'firing' && silenced === null ? 'bad' : 'quiet'
}

/** To the page of what the alert is about. */
function OpenSubject({ alert: { rule, subject, data } }: { readonly alert: Alert }) {
  if (rule === 'schedule_late')
    return <Button href={link({ page: 'schedule', name: subject })}>Open schedule</Button>
  if (rule === 'old_snapshot') return <Button href={link({ page: 'doctor' })}>Open doctor</Button>
  if (rule === 'blocked_target') return <Button href={link({ page: 'targets' })}>Open targets</Button>
  const queue = typeof data?.queue === 'string' ? data.queue : subject
  return queue === '' ? null : <Button href={link({ page: 'queue', name: queue })}>Open queue</Button>
}

/** A newer server may have a rule that this page does not know. */
function measured({ rule }: { readonly rule: string }, value: number): string {
  const known = Object.hasOwn(ALERT_RULES, rule) ? ALERT_RULES[rule as keyof typeof ALERT_RULES] : undefined
  return known === undefined ? formatNumber(value) : formatUnit(value, known.unit)
}

function SilenceKeys({ alert, reload }: { readonly alert: Alert; readonly reload: () => Promise<void> }) {
  const end = async () => {
    await act('Silence ended', () =>
      call('DELETE /api/v1/alerts/{id}/silence', { params: { id: alert.id }, body: {} }),
    )
    await reload()
  }
  if (alert.silenced_until !== null) return <Button onClick={end}>End silence</Button>
  return (
    <Button
      onClick={async () => {
        if (await silence(alert)) await reload()
      }}
    >
      Silence…
    </Button>
  )
}

const EVENT_TONE: Readonly<Record<AlertEvent['type'], Tone>> = {
  pending: 'time',
  firing: 'bad',
  cleared: 'good',
  passed: 'quiet',
  silenced: 'quiet',
  unsilenced: 'quiet',
}

const HISTORY: readonly Column<AlertEvent>[] = [
  { name: 'at', label: 'when', cell: ({ at }) => <Time at={at} /> },
  { name: 'type', label: 'what', cell: ({ type }) => <Badge tone={EVENT_TONE[type]}>{type}</Badge> },
  { name: 'rule', label: 'rule', cell: ({ rule }) => <b>{rule}</b> },
  {
    name: 'subject',
    label: 'subject',
    cell: ({ subject }) => <span class="mono">{subject === '' ? 'installation' : subject}</span>,
  },
  {
    name: 'value',
    label: 'value',
    align: 'end',
    cell: (event) => (event.value === null ? '–' : measured(event, event.value)),
  },
  {
    name: 'threshold',
    label: 'limit',
    align: 'end',
    cell: (event) => (event.threshold === null ? '–' : measured(event, event.threshold)),
  },
  {
    name: 'who',
    label: 'by',
    wideOnly: true,
    cell: ({ actor, reason }) => <span class="soft">{[actor, reason].filter(Boolean).join(': ')}</span>,
  },
]

function History() {
  const events = usePages<AlertEvent>(async (page_token, signal) => {
    const answer = await call('GET /api/v1/alerts/history', { query: { page_size: 100, page_token }, signal })
    return { rows: answer.events, next: answer.next_page_token }
  })
  return (
    <Panel title="History" flush>
      <Loaded of={events} rows={8}>
        {(rows) => (
          <>
            <Table
              label="History of alerts"
              columns={HISTORY}
              rows={rows}
              rowKey={({ id }) => id}
              empty={<Empty title="No alert has fired yet" />}
            />
            <More of={events} />
          </>
        )}
      </Loaded>
    </Panel>
  )
}
