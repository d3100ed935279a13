/** Tenants and their limits. A key of one tenant sees its own limits; a key for all tenants changes them. */
import { call } from '../../api/call.js'
import type { AnswerOf } from '../../api/contract.js'
import { type PageOfRows, usePages } from '../../api/pages.js'
import { ask } from '../../ui/ask.jsx'
import { Button } from '../../ui/button.jsx'
import { Empty, Loaded } from '../../ui/loaded.jsx'
import { More } from '../../ui/more.jsx'
import { Panel } from '../../ui/panel.jsx'
import { type Column, Table } from '../../ui/table.jsx'
import { act } from '../../ui/toast.jsx'
import { Bytes, Num, Time } from '../../ui/value.jsx'

type Tenant = AnswerOf<'GET /api/v1/tenants'>['tenants'][number]

async function load(
  all: boolean,
  page_token: string | undefined,
  signal: AbortSignal,
): Promise<PageOfRows<Tenant>> {
  if (!all) return { rows: [await call('GET /api/v1/tenant', { signal })], next: null }
  const answer = await call('GET /api/v1/tenants', { query: { page_size: 100, page_token }, signal })
  return { rows: answer.tenants, next: answer.next_page_token }
}

export function Tenants({ all }: { readonly all: boolean }) {
  const tenants = usePages<Tenant>((token, signal) => load(all, token, signal), [all])
  const edit = async (row: Tenant | null) => {
    if (await change(row)) await tenants.reload()
  }
  return (
    <Panel
      title="Tenants"
      aside={all && <Button onClick={() => edit(null)}>Limit another tenant…</Button>}
      flush
    >
      <Loaded of={tenants} rows={4}>
        {(rows) => (
          <>
            <Table
              label="Tenants"
              columns={columns(all ? edit : null)}
              rows={rows}
              rowKey={({ name }) => name}
              empty={
                <Empty
                  title="No tenant has queues or limits yet"
                  command="holdfast tenants limit acme --max-running 20"
                />
              }
            />
            <More of={tenants} />
          </>
        )}
      </Loaded>
    </Panel>
  )
}

const LIMITS = [
  ['max_running', 'Running jobs'],
  ['max_live_jobs', 'Jobs that have not ended'],
  ['enqueues_per_second', 'Enqueued jobs per second, at each server'],
  ['payload_bytes_max', 'Bytes of the input of a job'],
] as const

async function change(row: Tenant | null): Promise<boolean> {
  const answer = await ask({
    title: row === null ? 'Limit a tenant' : `Limits of ${row.name}`,
    body: 'An empty field means no limit.',
    action: 'Save limits',
    fields: [
      ...(row === null ? [{ name: 'name', label: 'Tenant', required: true, mono: true }] : []),
      ...LIMITS.map(([name, label]) => ({
        name,
        label,
        type: 'number' as const,
        initial: row?.[name] === null || row === null ? '' : String(row[name]),
        placeholder: 'no limit',
      })),
      { name: 'reason', label: 'Reason (optional)', maxLength: 500 },
    ],
  })
  if (answer === null) return false
  const limits = Object.fromEntries(
    LIMITS.map(([name]) => [name, answer[name] ? Number(answer[name]) : null]),
  )
  const name = row?.name ?? answer.name ?? ''
  const done = await act(`Limits of ${name} saved`, () =>
    call('PATCH /api/v1/tenants/{name}', {
      params: { name },
      body: { ...limits, ...(answer.reason ? { reason: answer.reason } : {}) },
    }),
  )
  return done !== undefined
}

function columns(edit: ((row: Tenant) => Promise<void>) | null): Column<Tenant>[] {
  const none = 'no limit'
  return [
    { name: 'name', label: 'tenant', cell: ({ name }) => <b>{name}</b> },
    {
      name: 'running',
      label: 'running jobs',
      align: 'end',
      cell: (row) => <Num value={row.max_running} none={none} />,
    },
    {
      name: 'live',
      label: 'live jobs',
      align: 'end',
      cell: (row) => <Num value={row.max_live_jobs} none={none} />,
    },
    {
      name: 'rate',
      label: 'enqueues per s',
      align: 'end',
      wideOnly: true,
      cell: (row) => <Num value={row.enqueues_per_second} none={none} />,
    },
    {
      name: 'bytes',
      label: 'input of a job',
      align: 'end',
      wideOnly: true,
      cell: (row) => <Bytes value={row.payload_bytes_max} none={none} />,
    },
    {
      name: 'at',
      label: 'changed',
      wideOnly: true,
      cell: ({ updated_at }) => <Time at={updated_at} none="never" />,
    },
    ...(edit === null
      ? []
      : [
          {
            name: 'keys',
            label: <span class="hidden-visually">commands</span>,
            align: 'end' as const,
            cell: (row: Tenant) => (
              <Button label={`Limits of ${row.name}`} onClick={() => edit(row)}>
                Limits…
              </Button>
            ),
          },
        ]),
  ]
}
