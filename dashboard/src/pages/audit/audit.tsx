/** The audit log: every call that changed something or was refused, with its actor and reason. */
import { call } from '../../api/call.js'
import type { AnswerOf } from '../../api/contract.js'
import { usePages } from '../../api/pages.js'
import { choiceParam, textParam } from '../../state/url.js'
import { Badge } from '../../ui/badge.jsx'
import { Choices, TextField } from '../../ui/field.jsx'
import { Empty, Loaded } from '../../ui/loaded.jsx'
import { More } from '../../ui/more.jsx'
import { Page, Panel } from '../../ui/panel.jsx'
import { type Column, Table } from '../../ui/table.jsx'
import { Time } from '../../ui/value.jsx'
import './audit.css'

type Row = AnswerOf<'GET /api/v1/audit'>['calls'][number]

const actor = textParam('actor')
const operation = textParam('operation')
const since = choiceParam('since', ['1h', '24h', '7d', 'any'], 'any')
const HOURS: Readonly<Record<string, number>> = { '1h': 1, '24h': 24, '7d': 168 }

export function AuditPage() {
  const rows = usePages<Row>(async (page_token, signal) => {
    const hours = HOURS[since.value]
    const answer = await call('GET /api/v1/audit', {
      query: {
        actor: actor.value || undefined,
        operation: operation.value || undefined,
        since: hours === undefined ? undefined : new Date(Date.now() - hours * 3_600_000).toISOString(),
        page_size: 100,
        page_token,
      },
      signal,
    })
    return { rows: answer.calls, next: answer.next_page_token }
  })
  const filtered = actor.value !== '' || operation.value !== '' || since.value !== 'any'
  return (
    <Page title="Audit" subtitle="Calls that changed something or were refused, newest first.">
      <Panel flush>
        <div class="audit-filter">
          <TextField
            label="Actor"
            value={actor.value}
            onInput={(value) => actor.replace(value)}
            placeholder="anyone"
          />
          <TextField
            label="Operation"
            value={operation.value}
            onInput={(value) => operation.replace(value)}
            placeholder="any, such as pauseQueue"
          />
          <Choices
            label="Since"
            value={since.value}
            onInput={(value) => since.replace(value)}
            choices={[
              ['1h', '1 h'],
              ['24h', '24 h'],
              ['7d', '7 d'],
              ['any', 'any time'],
            ]}
          />
        </div>
        <Loaded of={rows} rows={10}>
          {(data) => (
            <>
              <Table
                label="Audit log"
                columns={COLUMNS}
                rows={data}
                rowKey={(row) => row.id}
                empty={
                  filtered ? (
                    <Empty title="No call matches" />
                  ) : (
                    <Empty title="No call yet" command="holdfast audit --limit 20">
                      Commands from here, from the command line with a server and from programs are listed.
                    </Empty>
                  )
                }
              />
              <More of={rows} />
            </>
          )}
        </Loaded>
      </Panel>
    </Page>
  )
}

const COLUMNS: readonly Column<Row>[] = [
  { name: 'at', label: 'when', cell: ({ at }) => <Time at={at} /> },
  {
    name: 'actor',
    label: 'actor',
    cell: ({ actor: who }) => (
      <button
        type="button"
        class="linklike"
        title={`Only calls of ${who}`}
        onClick={() => (actor.value = who)}
      >
        {who}
      </button>
    ),
  },
  {
    name: 'operation',
    label: 'operation',
    cell: ({ operation: what }) => (
      <button type="button" class="linklike" title={`Only ${what}`} onClick={() => (operation.value = what)}>
        <b>{what}</b>
      </button>
    ),
  },
  {
    name: 'path',
    label: 'call',
    wideOnly: true,
    cell: ({ method, path }) => (
      <span class="mono soft audit-path">
        {method} {path}
      </span>
    ),
  },
  {
    name: 'status',
    label: 'result',
    cell: ({ status, code }) =>
      status < 400 ? <span class="soft">{status}</span> : <Badge tone="bad">{code ?? status}</Badge>,
  },
  { name: 'reason', label: 'reason', cell: ({ reason }) => reason && <span class="soft">{reason}</span> },
  {
    name: 'tenant',
    label: 'tenant',
    wideOnly: true,
    cell: ({ tenant }) => <span class="soft">{tenant}</span>,
  },
  {
    name: 'address',
    label: 'from',
    wideOnly: true,
    cell: ({ address, request_id }) => (
      <span class="mono faint" title={`request ${request_id}`}>
        {address ?? '–'}
      </span>
    ),
  },
]
