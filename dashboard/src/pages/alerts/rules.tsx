/** The rules: when an alert fires and clears, for all subjects or for one. */
import { call } from '../../api/call.js'
import type { AnswerOf } from '../../api/contract.js'
import { useResource } from '../../api/resource.js'
import { may } from '../../state/session.js'
import { ask } from '../../ui/ask.jsx'
import { Badge } from '../../ui/badge.jsx'
import { Button } from '../../ui/button.jsx'
import { formatDuration, formatNumber, formatUnit } from '../../ui/format.js'
import { Loaded } from '../../ui/loaded.jsx'
import { Panel } from '../../ui/panel.jsx'
import { type Column, Table } from '../../ui/table.jsx'
import { act } from '../../ui/toast.jsx'

type Rule = AnswerOf<'GET /api/v1/alert-rules'>['rules'][number]

export function Rules() {
  const rules = useResource((signal) => call('GET /api/v1/alert-rules', { signal }), [], { live: false })
  const edit = async (rule: Rule) => {
    if (await change(rule)) await rules.reload()
  }
  const toggle = async (rule: Rule) => {
    const { rule: name, subject, enabled } = rule
    await act(enabled ? `${name} is off` : `${name} is on`, () =>
      call('PUT /api/v1/alert-rules/{rule}', {
        params: { rule: name },
        body: { subject, enabled: !enabled },
      }),
    )
    await rules.reload()
  }
  return (
    <Panel title="Rules" aside="a rule with a subject applies to that one only" flush>
      <Loaded of={rules} rows={8}>
        {(data) => (
          <Table
            label="Alert rules"
            columns={columns(may('admin') ? { edit, toggle } : null)}
            rows={data.rules}
            rowKey={({ rule, subject }) => `${rule} ${subject}`}
          />
        )}
      </Loaded>
    </Panel>
  )
}

/** Whether it was changed. An empty field restores the value of the settings. */
async function change(rule: Rule): Promise<boolean> {
  const answer = await ask({
    title: `Rule ${rule.rule}${rule.subject === '' ? '' : ` for ${rule.subject}`}`,
    body: `Fires when ${rule.of.replace('N', formatNumber(rule.threshold))}. An empty field restores the value of the settings (${rule.setting}).`,
    action: 'Save rule',
    fields: [
      { name: 'threshold', label: `Limit (${rule.unit})`, type: 'number', initial: String(rule.threshold) },
      { name: 'for', label: 'Fires after (seconds)', type: 'number', initial: String(rule.for_sec) },
      { name: 'clear', label: 'Clears after (seconds)', type: 'number', initial: String(rule.clear_sec) },
      {
        name: 'subject',
        label: 'Only for this subject',
        initial: rule.subject,
        hint: 'A queue, queue/kind or schedule. Empty: all without a rule of their own.',
      },
      { name: 'reason', label: 'Reason (optional)', maxLength: 500 },
    ],
  })
  if (answer === null) return false
  const number = (text: string | undefined) => (text === undefined || text === '' ? null : Number(text))
  const done = await act('Rule saved', () =>
    call('PUT /api/v1/alert-rules/{rule}', {
      params: { rule: rule.rule },
      body: {
        subject: answer.subject ?? '',
        threshold: number(answer.threshold),
        for_sec: number(answer.for),
        clear_sec: number(answer.clear),
        ...(answer.reason ? { reason: answer.reason } : {}),
      },
    }),
  )
  return done !== undefined
}

interface Commands {
  readonly edit: (rule: Rule) => Promise<void>
  readonly toggle: (rule: Rule) => Promise<void>
}

function columns(commands: Commands | null): Column<Rule>[] {
  return [
    {
      name: 'rule',
      label: 'rule',
      cell: ({ rule, subject, of, enabled, threshold }) => (
        <div class="rule">
          <b>{rule}</b> {subject !== '' && <Badge>{subject}</Badge>} {!enabled && <Badge>off</Badge>}
          <p class="soft small">{of.replace('N', formatNumber(threshold))}</p>
        </div>
      ),
    },
    {
      name: 'threshold',
      label: 'limit',
      align: 'end',
      cell: ({ threshold, unit }) => <Limit value={threshold} unit={unit} />,
    },
    {
      name: 'for',
      label: 'fires after',
      align: 'end',
      wideOnly: true,
      cell: ({ for_sec }) => formatDuration(for_sec * 1000),
    },
    {
      name: 'clear',
      label: 'clears after',
      align: 'end',
      wideOnly: true,
      cell: ({ clear_sec }) => formatDuration(clear_sec * 1000),
    },
    {
      name: 'origin',
      label: 'from',
      wideOnly: true,
      cell: ({ origin, setting }) =>
        origin === 'set' ? <Badge>changed</Badge> : <span class="faint mono">{setting}</span>,
    },
    ...(commands === null
      ? []
      : [
          {
            name: 'keys',
            label: <span class="hidden-visually">change</span>,
            align: 'end' as const,
            cell: (rule: Rule) => (
              <span class="keys-end">
                <Button
                  look="quiet"
                  label={`Change ${rule.rule} ${rule.subject}`}
                  onClick={() => commands.edit(rule)}
                >
                  Change…
                </Button>
                <Button
                  look="quiet"
                  label={`Turn ${rule.enabled ? 'off' : 'on'} ${rule.rule} ${rule.subject}`}
                  onClick={() => commands.toggle(rule)}
                >
                  {rule.enabled ? 'Turn off' : 'Turn on'}
                </Button>
              </span>
            ),
          },
        ]),
  ]
}

function Limit({ value, unit }: { readonly value: number; readonly unit: string }) {
  const text = formatUnit(value, unit)
  return text === formatNumber(value) ? (
    <>
      {text} <span class="faint">{unit}</span>
    </>
  ) : (
    <span title={`${formatNumber(value)} ${unit}`}>{text}</span>
  )
}
