/** One schedule: when it fires next, what came of the last slots, and the job that it creates. */
import { useState } from 'preact/hooks'
import { call } from '../../api/call.js'
import { useResource } from '../../api/resource.js'
import { useCommands } from '../../state/commands.js'
import { overviewResource } from '../../state/counts.js'
import { may } from '../../state/session.js'
import { go, link, textParam } from '../../state/url.js'
import { Button } from '../../ui/button.jsx'
import { formatDuration } from '../../ui/format.js'
import { JsonTree } from '../../ui/json-tree.jsx'
import { Loaded } from '../../ui/loaded.jsx'
import { Menu } from '../../ui/menu.jsx'
import { Facts, Page, Panel } from '../../ui/panel.jsx'
import { Time } from '../../ui/value.jsx'
import { Halves, Notice } from '../parts/parts.jsx'
import { Sentence } from '../parts/sentence.jsx'
import { deleteSchedule, pauseSchedule, resetSchedule, resumeSchedule, runSchedule } from './commands.js'
import { EditSchedule } from './edit.jsx'
import { FiringsPanel, loadFirings } from './firings.jsx'
import { Maintenance, ScheduleBadges } from './schedules.jsx'
import { Slots } from './slots.jsx'
import { inWords } from './words.js'
import { catchUpInWords, isLate, OVERLAP_WORDS, type Schedule } from './words-of-fields.js'

const name = textParam('name')
const NEXT = 5
const SLOW = { everyMs: 5_000, pollMs: 15_000 }

async function load(wanted: string, signal: AbortSignal) {
  const params = { name: wanted }
  const [schedule, { slots }, { reasons }] = await Promise.all([
    call('GET /api/v1/schedules/{name}', { params, signal }),
    call('GET /api/v1/schedules/{name}/preview', { params, query: { count: NEXT }, signal }),
    call('GET /api/v1/schedules/{name}/explain', { params, signal }),
  ])
  return { schedule, slots, reasons }
}

export function SchedulePage() {
  const loaded = useResource((signal) => load(name.value, signal), [], SLOW)
  const firings = useResource((signal) => loadFirings(name.value, signal), [], SLOW)
  const [editing, setEditing] = useState(false)
  const schedule = loaded.data.value?.schedule
  const after = async (done: Promise<boolean>) => {
    if (await done) await Promise.all([loaded.reload(), firings.reload()])
  }
  return (
    <Page
      title={
        <span class="cell-name">
          {name.value} {schedule !== undefined && <ScheduleBadges schedule={schedule} />}
        </span>
      }
      name={`Schedule ${name.value}`}
      subtitle={schedule && <WhenInWords schedule={schedule} />}
      actions={
        may('operate') &&
        schedule !== undefined && <Actions schedule={schedule} after={after} edit={() => setEditing(true)} />
      }
    >
      <Maintenance />
      <Loaded of={loaded} rows={8}>
        {(data) => <About {...data} after={after} />}
      </Loaded>
      <FiringsPanel of={firings} />
      {schedule !== undefined && <Creates schedule={schedule} />}
      {editing && schedule !== undefined && (
        <EditSchedule schedule={schedule} close={() => setEditing(false)} saved={() => loaded.reload()} />
      )}
    </Page>
  )
}

function WhenInWords({ schedule: { expression, time_zone: zone } }: { readonly schedule: Schedule }) {
  const words = inWords(expression)
  return (
    <>
      {words !== null && `${words}, ${zone} · `}
      <span class="mono">{expression}</span>
      {words === null && `, ${zone}`}
    </>
  )
}

interface ActionsProps {
  readonly schedule: Schedule
  readonly after: (done: Promise<boolean>) => Promise<void>
  readonly edit: () => void
}

function Actions({ schedule, after, edit }: ActionsProps) {
  const { name: of, paused_at: paused, declared, overrides } = schedule
  const run = () => after(runSchedule(of))
  const toggle = () => after(paused === null ? pauseSchedule(of) : resumeSchedule(of))
  const remove = async () => {
    if (await deleteSchedule(of)) go({ page: 'schedules' })
  }
  useCommands(
    [
      { name: `Run schedule ${of} now`, run },
      { name: `${paused === null ? 'Pause' : 'Resume'} schedule ${of}`, run: toggle },
      { name: `Edit schedule ${of}`, run: edit },
    ],
    [of, paused],
  )
  return (
    <>
      {!isLate(schedule) && <Button onClick={run}>Run now…</Button>}
      {paused === null && <Button onClick={toggle}>Pause…</Button>}
      <Button onClick={edit}>Edit…</Button>
      <Menu
        label="⋯"
        name="More actions"
        caret={false}
        items={[
          ...(declared !== null && overrides.length > 0
            ? [{ label: 'Reset to its declaration…', run: () => after(resetSchedule(of)) }]
            : []),
          { label: 'Delete…', danger: true, run: remove },
        ]}
      />
    </>
  )
}

interface AboutProps extends Awaited<ReturnType<typeof load>> {
  readonly after: (done: Promise<boolean>) => Promise<void>
}

/** Why firing fails, if the scheduler has tried: the chore has the error of the last schedule that failed. */
function causeOf(schedule: string): string | undefined {
  return overviewResource.value?.data.value?.problems.find(
    ({ type, subject, error }) =>
      type === 'stuck_upkeep' &&
      subject.name === 'schedules' &&
      error?.message.includes(`schedule ${schedule} could not be fired`),
  )?.error?.message
}

function About({ schedule, slots, reasons, after }: AboutProps) {
  const cause = causeOf(schedule.name)
  // That it is late is in the title of the notice.
  const blocking = reasons.filter((each) => each.blocking && each.code !== 'overdue')
  return (
    <>
      {schedule.paused_at !== null && (
        <Notice
          tone="time"
          actions={
            may('operate') && (
              <Button look="primary" onClick={() => after(resumeSchedule(schedule.name))}>
                Resume
              </Button>
            )
          }
        >
          <p>
            <b>Paused</b> by {schedule.paused_by ?? 'someone'} <Time at={schedule.paused_at} />
            {schedule.pause_note === null ? '.' : `: ${schedule.pause_note}`}
          </p>
          <p class="soft">No slot fires until it is resumed.</p>
        </Notice>
      )}
      {isLate(schedule) && (
        <Notice
          tone="bad"
          actions={
            may('operate') && (
              <Button look="primary" onClick={() => after(runSchedule(schedule.name))}>
                Run now…
              </Button>
            )
          }
        >
          <p>
            <b>{formatDuration(schedule.late_ms)} late.</b> The slot of{' '}
            <Time at={schedule.next_slot} as="clock" /> has not fired.
          </p>
          {cause !== undefined && <p>{cause}</p>}
          {blocking.map(({ code, sentence }) => (
            <p key={code} class="soft">
              <Sentence text={sentence} />
            </p>
          ))}
        </Notice>
      )}
      <Halves>
        <Panel
          title="Next firings"
          aside={schedule.jitter_ms > 0 && `up to ${formatDuration(schedule.jitter_ms)} later`}
        >
          <Slots slots={slots} timeZone={schedule.time_zone} />
        </Panel>
        <Panel title="When it fires">
          <div class="stack">
            {!isLate(schedule) && (
              <ul class="reasons">
                {reasons.map(({ code, sentence, blocking: blocks }) => (
                  <li key={code} class={blocks ? 'time' : undefined}>
                    <Sentence text={sentence} />
                  </li>
                ))}
              </ul>
            )}
            <Facts
              rows={[
                ['Earlier job', `${OVERLAP_WORDS[schedule.overlap]} while it is live`],
                ['Missed slots', catchUpInWords(schedule)],
                ['Last run', <Time key="last" at={schedule.last_run_at} none="never" />],
                schedule.overrides.length === 0
                  ? null
                  : ['Changed', `${schedule.overrides.join(', ')}, since its declaration`],
                ['Created', <CreatedBy key="created" schedule={schedule} />],
              ]}
            />
          </div>
        </Panel>
      </Halves>
    </>
  )
}

function CreatedBy({
  schedule: { created_at: at, created_by: by, declared },
}: {
  readonly schedule: Schedule
}) {
  return (
    <>
      <Time at={at} />
      {by !== null && ` by ${by}`}
      {declared !== null && ', declared by a program'}
    </>
  )
}

function Creates({ schedule }: { readonly schedule: Schedule }) {
  const { kind, queue, priority, key, target, subject, description } = schedule
  const optional = (label: string, value: string | number | null) =>
    value === null
      ? null
      : ([
          label,
          <span key={label} class="mono">
            {value}
          </span>,
        ] as const)
  return (
    <Panel title="The job that it creates">
      <div class="stack">
        {description !== null && <p>{description}</p>}
        <Halves>
          <Facts
            rows={[
              [
                'Kind',
                <a key="kind" href={link({ page: 'kind', name: kind })}>
                  {kind}
                </a>,
              ],
              [
                'Queue',
                <a key="queue" href={link({ page: 'queue', name: queue })}>
                  {queue}
                </a>,
              ],
              optional('Priority', priority),
              optional('Key', key),
              optional('Target', target),
              optional('Subject', subject),
            ]}
          />
          <JsonTree label="Input" value={schedule.input} />
        </Halves>
      </div>
    </Panel>
  )
}
