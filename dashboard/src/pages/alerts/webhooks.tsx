/** Webhooks: add, test, enable, remove; and what was delivered. */
import { call } from '../../api/call.js'
import type { AnswerOf } from '../../api/contract.js'
import { usePages } from '../../api/pages.js'
import { everyTenant } from '../../state/session.js'
import { numberParam } from '../../state/url.js'
import { ask } from '../../ui/ask.jsx'
import { Badge, type Tone } from '../../ui/badge.jsx'
import { Button } from '../../ui/button.jsx'
import { confirm } from '../../ui/confirm.jsx'
import { Empty, Loaded } from '../../ui/loaded.jsx'
import { Menu } from '../../ui/menu.jsx'
import { More } from '../../ui/more.jsx'
import { Panel } from '../../ui/panel.jsx'
import { showSecret } from '../../ui/secret.jsx'
import { type Column, Table } from '../../ui/table.jsx'
import { act, toast } from '../../ui/toast.jsx'
import { Time } from '../../ui/value.jsx'

type Webhook = AnswerOf<'GET /api/v1/webhooks'>['webhooks'][number]
type Delivery = AnswerOf<'GET /api/v1/webhooks/{id}/deliveries'>['deliveries'][number]

const open = numberParam('open')

export function Webhooks() {
  const webhooks = usePages<Webhook>(async (page_token, signal) => {
    const answer = await call('GET /api/v1/webhooks', { query: { page_size: 100, page_token }, signal })
    return { rows: answer.webhooks, next: answer.next_page_token }
  })
  const reload = () => webhooks.reload()
  return (
    <>
      <Panel
        title="Webhooks"
        aside={
          <Button
            onClick={async () => {
              if (await add()) await reload()
            }}
          >
            Add webhook…
          </Button>
        }
        flush
      >
        <Loaded of={webhooks} rows={3}>
          {(rows) => (
            <>
              <Table
                label="Webhooks"
                columns={columns(reload)}
                rows={rows}
                rowKey={({ id }) => id}
                rowTone={({ id }) => (id === open.value ? 'lit' : undefined)}
                empty={
                  <Empty
                    title="No webhook yet"
                    command="holdfast webhooks add pager https://example.org/hook"
                  >
                    A webhook gets a signed call when an alert fires and when it clears.
                  </Empty>
                }
              />
              <More of={webhooks} />
            </>
          )}
        </Loaded>
      </Panel>
      {open.value !== null && <Deliveries key={open.value} id={open.value} />}
    </>
  )
}

async function add(): Promise<boolean> {
  const answer = await ask({
    title: 'Add a webhook',
    action: 'Add webhook',
    fields: [
      { name: 'name', label: 'Name', required: true, placeholder: 'pager', mono: true },
      { name: 'url', label: 'URL', type: 'url', required: true, placeholder: 'https://…', mono: true },
      {
        name: 'rules',
        label: 'Rules',
        placeholder: 'all',
        hint: 'Names with commas between them. Empty: all rules.',
        mono: true,
      },
      ...(everyTenant.value
        ? [
            {
              name: 'whose',
              label: 'Alerts of',
              choices: [
                ['one', 'this tenant'],
                ['all', 'all tenants'],
              ] as const,
              initial: 'one',
            },
          ]
        : []),
    ],
  })
  if (answer === null) return false
  const rules = (answer.rules ?? '').split(/[\s,]+/).filter(Boolean) as Webhook['rules'] & string[]
  const made = await act(`Webhook ${answer.name} added`, () =>
    call('POST /api/v1/webhooks', {
      body: {
        name: answer.name ?? '',
        url: answer.url ?? '',
        ...(rules.length === 0 ? {} : { rules: rules as never }),
        ...(answer.whose === 'all' ? { every_tenant: true } : {}),
      },
    }),
  )
  if (made === undefined) return false
  showSecret({
    title: 'The secret of the webhook',
    secret: made.secret,
    hint: 'It signs the calls, so that the receiver can check them.',
  })
  return true
}

async function test({ id, name }: Webhook): Promise<void> {
  const answer = await act(`Test message sent to ${name}`, () =>
    call('POST /api/v1/webhooks/{id}/test', { params: { id } }),
  )
  if (answer === undefined) return
  if (answer.arrived) toast(`It arrived: the receiver answered ${answer.status}.`)
  else
    toast('The test message did not arrive.', {
      tone: 'bad',
      detail: answer.error ?? `status ${answer.status}`,
    })
}

async function enable({ id, name, enabled }: Webhook): Promise<void> {
  await act(`${name} is ${enabled ? 'disabled' : 'enabled'}`, () =>
    call('PATCH /api/v1/webhooks/{id}', { params: { id }, body: { enabled: !enabled } }),
  )
}

async function remove({ id, name, url }: Webhook): Promise<void> {
  const yes = await confirm({
    title: `Delete the webhook ${name}?`,
    body: url,
    action: 'Delete webhook',
    danger: true,
  })
  if (yes === null) return
  await act(`${name} deleted`, () => call('DELETE /api/v1/webhooks/{id}', { params: { id }, body: yes.body }))
}

function columns(reload: () => Promise<void>): Column<Webhook>[] {
  const then = (run: Promise<void>) => run.then(reload)
  return [
    {
      name: 'name',
      label: 'webhook',
      cell: ({ name, enabled, url, tenant }) => (
        <div class="rule">
          <b>{name}</b> {!enabled && <Badge>disabled</Badge>} {tenant === '*' && <Badge>all tenants</Badge>}
          <p class="soft small mono">{url}</p>
        </div>
      ),
    },
    {
      name: 'rules',
      label: 'rules',
      wideOnly: true,
      cell: ({ rules }) => <span class="soft">{rules?.join(', ') ?? 'all'}</span>,
    },
    {
      name: 'by',
      label: 'added',
      wideOnly: true,
      cell: ({ created_at, created_by }) => (
        <span class="soft">
          <Time at={created_at} /> {created_by !== null && `by ${created_by}`}
        </span>
      ),
    },
    {
      name: 'keys',
      label: <span class="hidden-visually">commands</span>,
      align: 'end',
      cell: (row) => (
        <span class="keys-end">
          <Button
            label={`Deliveries of ${row.name}`}
            onClick={() => (open.value = open.peek() === row.id ? null : row.id)}
          >
            Deliveries
          </Button>
          <Button label={`Test ${row.name}`} onClick={() => test(row)}>
            Test
          </Button>
          <Menu
            name={`More about ${row.name}`}
            label="⋯"
            caret={false}
            items={[
              { label: row.enabled ? 'Disable' : 'Enable', run: () => then(enable(row)) },
              { label: 'Delete…', danger: true, run: () => then(remove(row)) },
            ]}
          />
        </span>
      ),
    },
  ]
}

const STATE_TONE: Readonly<Record<Delivery['state'], Tone>> = {
  waiting: 'time',
  delivered: 'good',
  failed: 'bad',
  dropped: 'quiet',
}

const DELIVERY_COLUMNS: readonly Column<Delivery>[] = [
  { name: 'at', label: 'when', cell: ({ created_at }) => <Time at={created_at} /> },
  { name: 'type', label: 'message', cell: ({ type, alert_id }) => `${type} · alert ${alert_id}` },
  { name: 'state', label: 'state', cell: ({ state }) => <Badge tone={STATE_TONE[state]}>{state}</Badge> },
  { name: 'attempts', label: 'attempts', align: 'end', cell: ({ attempts }) => attempts },
  { name: 'status', label: 'answer', align: 'end', cell: ({ status }) => status ?? '–' },
  {
    name: 'error',
    label: 'error',
    wideOnly: true,
    cell: ({ error }) => <span class="soft">{error ?? ''}</span>,
  },
  {
    name: 'next',
    label: 'next attempt',
    align: 'end',
    cell: ({ state, next_at }) => (state === 'waiting' ? <Time at={next_at} /> : ''),
  },
]

function Deliveries({ id }: { readonly id: number }) {
  const deliveries = usePages<Delivery>(
    async (page_token, signal) => {
      const answer = await call('GET /api/v1/webhooks/{id}/deliveries', {
        params: { id },
        query: { page_size: 50, page_token },
        signal,
      })
      return { rows: answer.deliveries, next: answer.next_page_token }
    },
    [id],
  )
  return (
    <Panel
      title="Deliveries"
      aside={
        <Button look="quiet" onClick={() => deliveries.reload()}>
          Reload
        </Button>
      }
      flush
    >
      <Loaded of={deliveries} rows={4}>
        {(rows) => (
          <>
            <Table
              label="Deliveries"
              columns={DELIVERY_COLUMNS}
              rows={rows}
              rowKey={(row) => row.id}
              empty={<Empty title="Nothing was delivered yet">The key Test sends a message now.</Empty>}
            />
            <More of={deliveries} />
          </>
        )}
      </Loaded>
    </Panel>
  )
}
