/** API keys: create, rotate, revoke. The secret is shown once. */
import { call } from '../../api/call.js'
import type { AnswerOf } from '../../api/contract.js'
import { usePages } from '../../api/pages.js'
import { everyTenant } from '../../state/session.js'
import { ask } from '../../ui/ask.jsx'
import { Badge } from '../../ui/badge.jsx'
import { Button } from '../../ui/button.jsx'
import { confirm } from '../../ui/confirm.jsx'
import { Empty, Loaded } from '../../ui/loaded.jsx'
import { Menu } from '../../ui/menu.jsx'
import { More } from '../../ui/more.jsx'
import { Panel } from '../../ui/panel.jsx'
import { showSecret } from '../../ui/secret.jsx'
import { type Column, Table } from '../../ui/table.jsx'
import { act } from '../../ui/toast.jsx'
import { Time } from '../../ui/value.jsx'

type Key = AnswerOf<'GET /api/v1/keys'>['keys'][number]

const HINT = 'Programs send it as "Authorization: Bearer …".'

export function Keys() {
  const keys = usePages<Key>(async (page_token, signal) => {
    const answer = await call('GET /api/v1/keys', { query: { page_size: 100, page_token }, signal })
    return { rows: answer.keys, next: answer.next_page_token }
  })
  const then = async (done: Promise<boolean>) => {
    if (await done) await keys.reload()
  }
  return (
    <Panel title="API keys" aside={<Button onClick={() => then(create())}>Create key…</Button>} flush>
      <Loaded of={keys} rows={5}>
        {(rows) => (
          <>
            <Table
              label="API keys"
              columns={columns(then)}
              rows={rows}
              rowKey={({ id }) => id}
              empty={
                <Empty
                  title="No keys: the server is open"
                  command="holdfast keys create admin --scope admin --every-tenant"
                >
                  Once the first key exists, every call needs one. Make one with the scope admin first.
                </Empty>
              }
            />
            <More of={keys} />
          </>
        )}
      </Loaded>
    </Panel>
  )
}

const ROLES = [
  ['read', 'read: look at everything'],
  ['operate', 'operate: read, and steer jobs, queues, schedules'],
  ['enqueue', 'enqueue: make jobs'],
  ['work', 'work: run jobs (workers)'],
  ['enqueue,work', 'enqueue and work: a program that does both'],
  ['admin', 'admin: everything, with keys and settings'],
] as const

const DAY_MS = 86_400_000

async function create(): Promise<boolean> {
  const answer = await ask({
    title: 'Create a key',
    action: 'Create key',
    fields: [
      { name: 'name', label: 'Name', required: true, placeholder: 'checkout', mono: true },
      { name: 'scopes', label: 'May', choices: ROLES, initial: 'read' },
      {
        name: 'days',
        label: 'Expires',
        choices: [
          ['', 'never'],
          ['30', 'in 30 days'],
          ['90', 'in 90 days'],
          ['365', 'in a year'],
        ],
      },
      { name: 'rate', label: 'Calls per second (optional)', type: 'number', placeholder: 'no limit' },
      ...(everyTenant.value
        ? [
            {
              name: 'whose',
              label: 'For',
              choices: [
                ['one', 'this tenant'],
                ['all', 'all tenants'],
              ] as const,
              initial: 'one',
            },
          ]
        : []),
      { name: 'reason', label: 'Reason (optional)', maxLength: 500 },
    ],
  })
  if (answer === null) return false
  const made = await act(`Key ${answer.name} created`, () =>
    call('POST /api/v1/keys', {
      body: {
        name: answer.name ?? '',
        scopes: (answer.scopes ?? 'read').split(',') as Key['scopes'],
        ...(answer.days
          ? { expires_at: new Date(Date.now() + Number(answer.days) * DAY_MS).toISOString() }
          : {}),
        ...(answer.rate ? { rate_limit: Number(answer.rate) } : {}),
        ...(answer.whose === 'all' ? { every_tenant: true } : {}),
        ...(answer.reason ? { reason: answer.reason } : {}),
      },
    }),
  )
  if (made === undefined) return false
  showSecret({ title: `The key ${answer.name}`, secret: made.secret, hint: HINT })
  return true
}

async function rotate({ id, name }: Key): Promise<boolean> {
  const answer = await ask({
    title: `Rotate the key ${name}?`,
    body: 'A new key with the same name and scopes replaces it. The old one stays valid for a while, so that programs can change over.',
    action: 'Rotate key',
    fields: [
      {
        name: 'overlap',
        label: 'The old key ends',
        choices: [
          ['0', 'at once'],
          [String(3_600_000), 'in 1 hour'],
          [String(DAY_MS), 'in 1 day'],
          [String(7 * DAY_MS), 'in 1 week'],
        ],
        initial: String(DAY_MS),
      },
      { name: 'reason', label: 'Reason (optional)', maxLength: 500 },
    ],
  })
  if (answer === null) return false
  const body = { overlap_ms: Number(answer.overlap), ...(answer.reason ? { reason: answer.reason } : {}) }
  const made = await act(`Key ${name} rotated`, () =>
    call('POST /api/v1/keys/{id}/rotate', { params: { id }, body }),
  )
  if (made === undefined) return false
  showSecret({ title: `The new key ${name}`, secret: made.secret, hint: HINT })
  return true
}

async function revoke({ id, name, last_used_at }: Key): Promise<boolean> {
  const yes = await confirm({
    title: `Revoke the key ${name}?`,
    body: (
      <>
        Calls with it are refused from now on, and its streams end. It was last used{' '}
        <Time at={last_used_at} none="never" />.
      </>
    ),
    action: 'Revoke key',
    danger: true,
  })
  if (yes === null) return false
  const done = await act(`Key ${name} revoked`, () =>
    call('DELETE /api/v1/keys/{id}', { params: { id }, body: yes.body }),
  )
  return done !== undefined
}

function columns(then: (done: Promise<boolean>) => Promise<void>): Column<Key>[] {
  return [
    {
      name: 'name',
      label: 'key',
      cell: ({ name, hint, state, tenant }) => (
        <span class="row">
          <b class={state === 'live' ? undefined : 'soft'}>{name}</b> <span class="mono faint">{hint}…</span>
          {state !== 'live' && <Badge>{state}</Badge>}
          {tenant === '*' && <Badge>all tenants</Badge>}
        </span>
      ),
    },
    { name: 'scopes', label: 'may', cell: ({ scopes }) => scopes.join(', ') },
    {
      name: 'used',
      label: 'last used',
      align: 'end',
      cell: ({ last_used_at }) => <Time at={last_used_at} none="never" />,
    },
    {
      name: 'expires',
      label: 'expires',
      align: 'end',
      wideOnly: true,
      cell: ({ expires_at }) => <Time at={expires_at} none="never" />,
    },
    {
      name: 'rate',
      label: 'calls per s',
      align: 'end',
      wideOnly: true,
      cell: ({ rate_limit }) => rate_limit ?? <span class="faint">no limit</span>,
    },
    {
      name: 'made',
      label: 'created',
      wideOnly: true,
      cell: ({ created_at, created_by, revoked_by, revoke_reason }) => (
        <span class="soft">
          <Time at={created_at} /> {created_by !== null && `by ${created_by}`}
          {revoked_by !== null &&
            ` · revoked by ${revoked_by}${revoke_reason === null ? '' : `: ${revoke_reason}`}`}
        </span>
      ),
    },
    {
      name: 'keys',
      label: <span class="hidden-visually">commands</span>,
      align: 'end',
      cell: (row) =>
        row.state !== 'live' ? null : (
          <Menu
            name={`More about ${row.name}`}
            label="⋯"
            caret={false}
            items={[
              { label: 'Rotate…', run: () => then(rotate(row)) },
              { label: 'Revoke…', danger: true, run: () => then(revoke(row)) },
            ]}
          />
        ),
    },
  ]
}
