/** What needs an operator: sentences, most severe first, each with the button that solves it. */
import type { ComponentChildren } from 'preact'
import { send } from '../../api/call.js'
import type { Overview } from '../../state/counts.js'
import { may } from '../../state/session.js'
import { link, type Place } from '../../state/url.js'
import type { Tone } from '../../ui/badge.jsx'
import { Button } from '../../ui/button.jsx'
import { confirm } from '../../ui/confirm.jsx'
import { act } from '../../ui/toast.jsx'
import { Time } from '../../ui/value.jsx'

type Problem = Overview['problems'][number]
type Action = Problem['actions'][number]

const TONE: Readonly<Record<Problem['type'], Tone>> = {
  failing_kind: 'bad',
  no_worker: 'bad',
  blocked_target: 'held',
  oldest_ready: 'time',
  late_schedule: 'time',
  paused_queue: 'time',
  stuck_upkeep: 'time',
  alert: 'bad',
}

interface ProblemsProps {
  readonly problems: readonly Problem[]
  readonly reload: () => Promise<void>
}

export function Problems({ problems, reload }: ProblemsProps) {
  return (
    <section class="panel" aria-label="Problems">
      <ol class="problems">
        {problems.map((problem) => (
          <li key={problem.id} class={TONE[problem.type]} data-row={problem.id} tabIndex={-1}>
            <div class="grow">
              <p>
                <Sentence problem={problem} />
              </p>
              <p class="soft">{problem.next}</p>
            </div>
            <div class="row problem-actions">
              <Actions problem={problem} reload={reload} />
            </div>
          </li>
        ))}
      </ol>
    </section>
  )
}

/** In a sentence of the server, which does not know the zone of the person. */
const SINCE = /since ((?:\d{4}-\d\d-\d\d )?\d\d:\d\d UTC)/

function Sentence({ problem: { text, since, subject } }: { readonly problem: Problem }) {
  const [before, at, after] = text.split(SINCE)
  if (at === undefined || since === null) return <>{emphasised(text, subject.name)}</>
  return (
    <>
      {emphasised(before ?? '', subject.name)}since <Time at={since} as="clock" />
      {after}
    </>
  )
}

/** The sentence with the name of its subject in bold. */
function emphasised(text: string, name: string): ComponentChildren {
  const at = name === '' ? -1 : text.indexOf(name)
  if (at === -1) return text
  return (
    <>
      {text.slice(0, at)}
      <strong>{name}</strong>
      {text.slice(at + name.length)}
    </>
  )
}

/** The one that solves it comes last and is coloured: the server lists it first, and it is a call. */
function Actions({ problem, reload }: { readonly problem: Problem; readonly reload: () => Promise<void> }) {
  const allowed = problem.actions.filter((action) => action.type === 'open' || may(action.scope))
  const [first] = allowed
  const solving = first?.type === 'call' ? first : undefined
  const ordered = solving === undefined ? allowed : [...allowed.slice(1).reverse(), solving]
  return (
    <>
      {ordered.map((action) =>
        action.type === 'open' ? (
          <Button key={action.label} href={link(placeOf(action))}>
            {action.label}
          </Button>
        ) : (
          <Button
            key={action.label}
            look={action === solving ? 'primary' : 'plain'}
            onClick={() => run(action, problem, reload)}
          >
            {action.label}
          </Button>
        ),
      )}
    </>
  )
}

async function run(
  action: Extract<Action, { type: 'call' }>,
  problem: Problem,
  reload: () => Promise<void>,
): Promise<void> {
  const what = named(action.label, problem)
  const yes = await confirm({
    title: `${what}?`,
    body: `${problem.text} ${problem.next}`,
    action: action.label,
  })
  if (yes === null) return
  const { method, path, body } = action
  await act(`Done: ${what}`, () => send(method, path, { body: { ...body, ...yes.body } }))
  await reload()
}

/** "Resume customer:4411", "Pause queue billing". */
function named(label: string, { type, subject }: Problem): string {
  if (type === 'alert') return label
  return `${label} ${/queue$/.test(label) ? (subject.queue ?? '') : subject.name}`.trim()
}

const ONE: Readonly<Record<string, Place['page']>> = {
  queues: 'queue',
  kinds: 'kind',
  schedules: 'schedule',
  errors: 'error',
}

/** The server names lists with the thing to show; the dashboard has a page for it. */
function placeOf({ page, params }: Extract<Action, { type: 'open' }>): Place {
  const [name] = Object.values(params)
  if (page === 'errors' && params.kind !== undefined) return { page: 'errors', kind: params.kind }
  if (page === 'errors') return { page: 'error', id: params.fingerprint }
  if (page === 'job') return { page: 'job', id: params.id }
  if (page === 'alerts') return { page: 'alerts', id: params.id }
  if (page === 'upkeep') return { page: 'doctor', chore: params.chore }
  const one = ONE[page]
  return one === undefined ? { page: 'overview' } : { page: one, name }
}
