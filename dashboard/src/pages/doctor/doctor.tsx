/** Doctor: problems of the database with what to do. Upkeep: background chores, their last runs, and a key that runs one now. */
import { call } from '../../api/call.js'
import type { AnswerOf } from '../../api/contract.js'
import { useResource } from '../../api/resource.js'
import { now } from '../../state/clock.js'
import { everyTenant, may } from '../../state/session.js'
import { textParam } from '../../state/url.js'
import { Badge, type Tone } from '../../ui/badge.jsx'
import { Button } from '../../ui/button.jsx'
import { CopyButton } from '../../ui/copy.jsx'
import { count } from '../../ui/format.js'
import { JsonTree } from '../../ui/json-tree.jsx'
import { Empty, Loaded } from '../../ui/loaded.jsx'
import { Page, Panel } from '../../ui/panel.jsx'
import { type Column, Table } from '../../ui/table.jsx'
import { act } from '../../ui/toast.jsx'
import { Duration, Num, Time } from '../../ui/value.jsx'
import './doctor.css'

type Examined = AnswerOf<'GET /api/v1/doctor'>
type Finding = Examined['findings'][number]
type Chore = AnswerOf<'GET /api/v1/upkeep'>['chores'][number]

const chore = textParam('chore')
const TONE: Readonly<Record<Finding['severity'], Tone>> = { problem: 'bad', warning: 'time', note: 'quiet' }

export function DoctorPage() {
  const mayExamine = may('admin') && everyTenant.value
  return mayExamine ? <WithDoctor /> : <UpkeepOnly />
}

function WithDoctor() {
  const examined = useResource((signal) => call('GET /api/v1/doctor', { signal }), [], { live: false })
  const data = examined.data.value
  return (
    <Page
      name="Doctor"
      title={data === undefined ? 'Doctor' : titleOf(data)}
      subtitle={data === undefined ? '\u00a0' : subtitleOf(data)}
      actions={<Button onClick={() => examined.reload()}>Examine again</Button>}
    >
      <Loaded of={examined} rows={6}>
        {(found) => <Examination found={found} />}
      </Loaded>
      <Upkeep />
    </Page>
  )
}

function UpkeepOnly() {
  return (
    <Page title="Upkeep" subtitle="The doctor needs a key with the scope admin for all tenants.">
      <Upkeep />
    </Page>
  )
}

function titleOf({ healthy, findings }: Examined): string {
  const counted = (['problem', 'warning'] as const).flatMap((of) => {
    const found = findings.filter(({ severity }) => severity === of).length
    return found === 0 ? [] : [count(found, of)]
  })
  if (healthy && counted.length === 0) return 'The database is healthy'
  return `${counted.join(', ')} found`
}

function subtitleOf({ checks }: Examined): string {
  const skipped = checks.filter(({ result }) => result === 'skipped').length
  return `${count(checks.length - skipped, 'check')} made${skipped === 0 ? '' : `, ${skipped} skipped`}.`
}

function Examination({ found: { findings, checks } }: { readonly found: Examined }) {
  return (
    <>
      {findings.length > 0 && (
        <section class="panel" aria-label="Findings">
          <ol class="findings">
            {findings.map((finding) => (
              <li key={`${finding.code}${finding.sentence}`} data-row tabIndex={-1}>
                <p>
                  <Badge tone={TONE[finding.severity]}>{finding.severity}</Badge> {finding.sentence}{' '}
                  <code class="faint">{finding.code}</code>
                </p>
                <Fix text={finding.fix} />
                {Object.keys(finding.data).length > 0 && (
                  <details class="small">
                    <summary class="soft">Details</summary>
                    <JsonTree label={`Details of ${finding.code}`} value={finding.data} />
                  </details>
                )}
              </li>
            ))}
          </ol>
        </section>
      )}
      <Panel
        title="Checks"
        aside={<CopyButton text="holdfast doctor --deep" label="Copy: holdfast doctor --deep" />}
      >
        <ul class="checks">
          {checks.map(({ name, result, reason }) => (
            <li key={name} title={reason}>
              <span
                class={result === 'fine' ? 'good' : result === 'found' ? 'bad' : 'faint'}
                aria-hidden="true"
              >
                {result === 'fine' ? '✓' : result === 'found' ? '✗' : '–'}
              </span>
              <span>{name}</span>
              <span class="hidden-visually">{result}</span>
              {result === 'skipped' && <span class="faint small cut">{reason ?? 'skipped'}</span>}
            </li>
          ))}
        </ul>
      </Panel>
    </>
  )
}

/** A command to paste, or a sentence for a person. */
function Fix({ text }: { readonly text: string }) {
  if (/^[A-Z][a-z]/.test(text)) return <p class="soft">{text}</p>
  return (
    <div class="command">
      <pre tabIndex={0}>{text}</pre>
      <CopyButton text={text} label="Copy fix" />
    </div>
  )
}

function Upkeep() {
  const chores = useResource((signal) => call('GET /api/v1/upkeep', { signal }), [], {
    everyMs: 5_000,
    pollMs: 10_000,
  })
  const mayRun = may('admin') && everyTenant.value
  const run = async (name: string) => {
    await act(
      ({ rows, more }) => `${name} ran: ${count(rows, 'row')}${more ? ', and there is more to do' : ''}`,
      () => call('POST /api/v1/upkeep/{name}/run', { params: { name }, body: {} }),
    )
    await chores.reload()
  }
  return (
    <Panel title="Upkeep" aside="chores in the background, by any process" flush>
      <Loaded of={chores} rows={8}>
        {(data) => (
          <Table
            label="Upkeep"
            columns={columns(mayRun ? run : undefined)}
            rows={data.chores}
            rowKey={(row) => row.name}
            rowTone={(row) => (row.name === chore.value ? 'lit' : undefined)}
            empty={
              <Empty title="No chore has run yet" command="holdfast server">
                Every process with workers or a server does upkeep.
              </Empty>
            }
          />
        )}
      </Loaded>
    </Panel>
  )
}

function columns(run: ((name: string) => Promise<void>) | undefined): Column<Chore>[] {
  return [
    {
      name: 'chore',
      label: 'chore',
      cell: (row) => (
        <div class="chore">
          <b>{row.name}</b> {row.error !== null && <Badge tone="bad">failing</Badge>} <Late row={row} />
          <p class="soft small">{row.error ?? row.of}</p>
        </div>
      ),
    },
    {
      name: 'every',
      label: 'every',
      align: 'end',
      wideOnly: true,
      cell: (row) => <Duration ms={row.every_ms} />,
    },
    {
      name: 'last',
      label: 'last run',
      align: 'end',
      cell: (row) => <Time at={row.last_run_at} none="never" />,
    },
    {
      name: 'took',
      label: 'took',
      align: 'end',
      wideOnly: true,
      cell: (row) => <Duration ms={row.duration_ms} />,
    },
    { name: 'rows', label: 'rows', align: 'end', cell: (row) => <Num value={row.rows} /> },
    {
      name: 'total',
      label: 'rows in all',
      align: 'end',
      wideOnly: true,
      cell: (row) => <Num value={row.rows_total} compact />,
    },
    {
      name: 'failures',
      label: 'failures',
      align: 'end',
      wideOnly: true,
      cell: (row) => <span class={row.failures > 0 ? 'bad' : 'faint'}>{row.failures}</span>,
    },
    {
      name: 'node',
      label: 'process',
      wideOnly: true,
      cell: (row) => <span class="mono faint">{row.node ?? '–'}</span>,
    },
    ...(run === undefined
      ? []
      : [
          {
            name: 'run',
            label: <span class="hidden-visually">run</span>,
            align: 'end' as const,
            cell: (row: Chore) => (
              <Button look="quiet" onClick={() => run(row.name)} label={`Run now: ${row.name}`}>
                Run now
              </Button>
            ),
          },
        ]),
  ]
}

/** Three intervals and two minutes, as the doctor counts it. */
function Late({ row }: { readonly row: Chore }) {
  if (row.last_run_at === null) return null
  const lateMs = now.value - Date.parse(row.last_run_at) - 3 * row.every_ms - 120_000
  return lateMs > 0 ? <Badge tone="time">late</Badge> : null
}
