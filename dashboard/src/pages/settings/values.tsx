/** Settings in the database: what each is for, its value, and who changed it. */
import { useState } from 'preact/hooks'
import { call } from '../../api/call.js'
import type { AnswerOf } from '../../api/contract.js'
import { useResource } from '../../api/resource.js'
import { everyTenant, may } from '../../state/session.js'
import { ask } from '../../ui/ask.jsx'
import { Badge } from '../../ui/badge.jsx'
import { Button } from '../../ui/button.jsx'
import { confirm } from '../../ui/confirm.jsx'
import { CheckField, TextField } from '../../ui/field.jsx'
import { formatNumber, formatUnit } from '../../ui/format.js'
import { Empty, Loaded } from '../../ui/loaded.jsx'
import { Panel } from '../../ui/panel.jsx'
import { type Column, Table } from '../../ui/table.jsx'
import { act } from '../../ui/toast.jsx'
import { Time } from '../../ui/value.jsx'

type Setting = AnswerOf<'GET /api/v1/settings'>['settings'][number]

export function Values() {
  const settings = useResource((signal) => call('GET /api/v1/settings', { signal }), [], { live: false })
  const [text, setText] = useState('')
  const [changedOnly, setChangedOnly] = useState(false)
  const mayChange = may('admin') && everyTenant.value
  const run = async (command: (setting: Setting) => Promise<boolean>, setting: Setting) => {
    if (await command(setting)) await settings.reload()
  }
  const shown = (all: readonly Setting[]) =>
    all.filter(
      ({ name, of, origin }) =>
        `${name} ${of}`.toLowerCase().includes(text.trim().toLowerCase()) &&
        (!changedOnly || origin === 'set'),
    )
  return (
    <Panel flush>
      <div class="settings-filter row">
        <TextField
          label="Find a setting"
          value={text}
          onInput={setText}
          placeholder="retention, alert, lease…"
        />
        <CheckField label="Only changed ones" value={changedOnly} onInput={setChangedOnly} />
      </div>
      <Loaded of={settings} rows={12}>
        {(data) => (
          <Table
            label="Settings"
            columns={columns(mayChange ? run : null)}
            rows={shown(data.settings)}
            rowKey={({ name }) => name}
            empty={<Empty title="No setting matches" />}
          />
        )}
      </Loaded>
    </Panel>
  )
}

async function change(setting: Setting): Promise<boolean> {
  const answer = await ask({
    title: `Change ${setting.name}`,
    body: `${setting.of}. It takes effect at once, for all tenants.`,
    action: 'Save',
    fields: [
      {
        name: 'value',
        label: 'Value',
        type: 'number',
        initial: String(setting.value),
        required: true,
        hint: `${formatNumber(setting.min)} to ${formatNumber(setting.max)}; default ${formatNumber(setting.default)}`,
      },
      { name: 'reason', label: 'Reason (optional)', maxLength: 500 },
    ],
  })
  if (answer === null) return false
  const body = { value: Number(answer.value), ...(answer.reason ? { reason: answer.reason } : {}) }
  const done = await act(`${setting.name} is ${answer.value}`, () =>
    call('PUT /api/v1/settings/{name}', { params: { name: setting.name }, body }),
  )
  return done !== undefined
}

async function reset(setting: Setting): Promise<boolean> {
  const yes = await confirm({
    title: `Reset ${setting.name}?`,
    body: `From ${formatNumber(setting.value)} to the default, ${formatNumber(setting.default)}.`,
    action: 'Reset',
  })
  if (yes === null) return false
  const done = await act(`${setting.name} is reset`, () =>
    call('DELETE /api/v1/settings/{name}', { params: { name: setting.name }, body: yes.body }),
  )
  return done !== undefined
}

type Run = (command: (setting: Setting) => Promise<boolean>, setting: Setting) => Promise<void>

function columns(run: Run | null): Column<Setting>[] {
  return [
    {
      name: 'name',
      label: 'setting',
      cell: ({ name, of, origin }) => (
        <div class="setting">
          <span class="mono">{name}</span> {origin === 'set' && <Badge>changed</Badge>}
          <p class="soft small">{of}</p>
        </div>
      ),
    },
    {
      name: 'value',
      label: 'value',
      align: 'end',
      cell: ({ name, value, origin }) => <Value name={name} value={value} bold={origin === 'set'} />,
    },
    {
      name: 'default',
      label: 'default',
      align: 'end',
      wideOnly: true,
      cell: (row) => (
        <span class="faint">
          <Value name={row.name} value={row.default} />
        </span>
      ),
    },
    {
      name: 'by',
      label: 'changed',
      wideOnly: true,
      cell: ({ updated_at, updated_by }) =>
        updated_at === null ? (
          ''
        ) : (
          <span class="soft nowrap">
            <Time at={updated_at} /> {updated_by !== null && `by ${updated_by}`}
          </span>
        ),
    },
    ...(run === null
      ? []
      : [
          {
            name: 'keys',
            label: <span class="hidden-visually">commands</span>,
            align: 'end' as const,
            cell: (row: Setting) => (
              <span class="keys-end">
                {row.origin === 'set' && (
                  <Button look="quiet" label={`Reset ${row.name}`} onClick={() => run(reset, row)}>
                    Reset
                  </Button>
                )}
                <Button look="quiet" label={`Change ${row.name}`} onClick={() => run(change, row)}>
                  Change…
                </Button>
              </span>
            ),
          },
        ]),
  ]
}

/** The names of settings end with their unit. */
function Value({
  name,
  value,
  bold = false,
}: {
  readonly name: string
  readonly value: number
  readonly bold?: boolean
}) {
  const text = formatUnit(value, name)
  return (
    <span
      title={text === formatNumber(value) ? undefined : formatNumber(value)}
      class={bold ? 'bold' : undefined}
    >
      {text}
    </span>
  )
}
