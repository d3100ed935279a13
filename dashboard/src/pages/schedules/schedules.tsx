/** All schedules: in words, the next firing, the last ones as a strip. */
import { call } from '../../api/call.js'
import { type Resource, useResource } from '../../api/resource.js'
import { may } from '../../state/session.js'
import { link } from '../../state/url.js'
import { Badge } from '../../ui/badge.jsx'
import { Button } from '../../ui/button.jsx'
import { count, formatDuration } from '../../ui/format.js'
import { Empty, Loaded } from '../../ui/loaded.jsx'
import { Page, Panel } from '../../ui/panel.jsx'
import { type Column, Table } from '../../ui/table.jsx'
import { act } from '../../ui/toast.jsx'
import { Time } from '../../ui/value.jsx'
import { Notice } from '../parts/parts.jsx'
import { pauseSchedule, resumeSchedule, runSchedule } from './commands.js'
import { FiringStrip } from './firings.jsx'
import { inWords } from './words.js'
import { isLate, type Schedule } from './words-of-fields.js'

const PAGE = 200

export function SchedulesPage() {
  const schedules = useResource(
    (signal) => call('GET /api/v1/schedules', { query: { page_size: PAGE }, signal }),
    [],
    { pollMs: 15_000, everyMs: 10_000 },
  )
  return (
    <Page title="Schedules" subtitle={summaryOf(schedules.data.value?.schedules)}>
      <Maintenance />
      <Panel flush>
        <Loaded of={schedules} rows={8}>
          {(data) => (
            <>
              <Table
                label="Schedules"
                rows={[...data.schedules].sort(byAttention)}
                rowKey={({ id }) => id}
                columns={columnsOf(schedules)}
                empty={
                  <Empty
                    title="No schedules yet"
                    command={
                      'holdfast schedules create nightly-report "30 2 * * *" --kind report --queue reports --tz Europe/Berlin'
                    }
                  >
                    A schedule enqueues a job at each of its slots. Make one:
                  </Empty>
                }
              />
              {data.next_page_token !== null && (
                <p class="table-more soft">
                  The first {PAGE} by name. The command line lists all: holdfast schedules
                </p>
              )}
            </>
          )}
        </Loaded>
      </Panel>
    </Page>
  )
}

function summaryOf(schedules: readonly Schedule[] | undefined): string | undefined {
  if (schedules === undefined || schedules.length === 0) return undefined
  const late = schedules.filter(isLate).length
  const paused = schedules.filter(({ paused_at: at }) => at !== null).length
  const off = schedules.filter(({ enabled }) => !enabled).length
  const parts = [
    late > 0 ? `${late} late` : '',
    paused > 0 ? `${paused} paused` : '',
    off > 0 ? `${off} disabled` : '',
  ].filter((each) => each !== '')
  return `${count(schedules.length, 'schedule')}: ${parts.length === 0 ? 'all on time.' : `${parts.join(', ')}.`}`
}

function byAttention(a: Schedule, b: Schedule): number {
  const rank = (each: Schedule) => (isLate(each) ? 0 : each.paused_at !== null ? 1 : each.enabled ? 2 : 3)
  return rank(a) - rank(b) || Date.parse(a.next_run_at) - Date.parse(b.next_run_at)
}

function columnsOf(of: Resource<unknown>): readonly Column<Schedule>[] {
  const after = async (done: Promise<boolean>) => {
    if (await done) await of.reload()
  }
  return [
    { name: 'schedule', label: 'schedule', cell: (row) => <Name schedule={row} /> },
    {
      name: 'next',
      label: 'next',
      align: 'end',
      cell: (row) =>
        row.paused_at === null && row.enabled ? (
          <span class={isLate(row) ? 'bad' : undefined}>
            <Time at={row.next_run_at} />
          </span>
        ) : (
          <span class="faint">–</span>
        ),
    },
    {
      name: 'last',
      label: 'last',
      align: 'end',
      wideOnly: true,
      cell: ({ last_run_at: at }) => <Time at={at} none="never" />,
    },
    {
      name: 'strip',
      label: 'last 20 firings',
      wideOnly: true,
      cell: ({ name }) => <FiringStrip key={name} name={name} />,
    },
    ...(may('operate')
      ? [
          {
            name: 'actions',
            label: <span class="hidden-visually">actions</span>,
            align: 'end' as const,
            cell: ({ name, paused_at: paused }: Schedule) => (
              <span class="row-actions">
                <Button look="quiet" label={`Run ${name} now`} onClick={() => after(runSchedule(name))}>
                  Run…
                </Button>
                {paused === null ? (
                  <Button look="quiet" label={`Pause ${name}`} onClick={() => after(pauseSchedule(name))}>
                    Pause…
                  </Button>
                ) : (
                  <Button label={`Resume ${name}`} onClick={() => after(resumeSchedule(name))}>
                    Resume
                  </Button>
                )}
              </span>
            ),
          },
        ]
      : []),
  ]
}

function Name({ schedule }: { readonly schedule: Schedule }) {
  const { name, expression, time_zone: zone, kind } = schedule
  return (
    <>
      <span class="cell-name">
        <a href={link({ page: 'schedule', name })}>{name}</a>
        <ScheduleBadges schedule={schedule} />
      </span>
      <span class="cell-note">
        {inWords(expression) ?? <span class="mono">{expression}</span>}
        {zone === 'UTC' ? '' : `, ${zone}`} · {kind}
        {schedule.pause_note !== null && ` · ${schedule.pause_note}`}
      </span>
    </>
  )
}

export function ScheduleBadges({ schedule }: { readonly schedule: Schedule }) {
  return (
    <>
      {isLate(schedule) && <Badge tone="bad">{formatDuration(schedule.late_ms)} late</Badge>}
      {schedule.paused_at !== null && <Badge tone="time">paused</Badge>}
      {!schedule.enabled && <Badge>disabled</Badge>}
      {schedule.waiting_slot !== null && <Badge tone="time">waits for the earlier job</Badge>}
      {schedule.overrides.length > 0 && (
        <Badge title={`Changed since its declaration: ${schedule.overrides.join(', ')}`}>changed</Badge>
      )}
    </>
  )
}

/** While a window is open no schedule of the tenant fires. */
export function Maintenance() {
  const window = useResource((signal) => call('GET /api/v1/maintenance-window', { signal }), [], {
    everyMs: 10_000,
  })
  const data = window.data.value
  if (data === undefined || !data.open) return null
  const close = async () => {
    await act('Maintenance window closed', () => call('DELETE /api/v1/maintenance-window'))
    await window.reload()
  }
  return (
    <Notice tone="time" actions={may('operate') && <Button onClick={close}>Close the window</Button>}>
      <p>
        <b>A maintenance window is open</b>: no schedule fires
        {data.until !== null && (
          <>
            {' '}
            until <Time at={data.until} as="clock" />
          </>
        )}
        . {data.note}
      </p>
      <p class="soft">
        Opened by {data.paused_by ?? 'someone'} <Time at={data.since} />.
      </p>
    </Notice>
  )
}
