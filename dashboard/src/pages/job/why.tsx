/** "Why is it not running?", answered before anything else, with the button that fixes it. */
import { call } from '../../api/call.js'
import type { AnswerOf } from '../../api/contract.js'
import type { Resource } from '../../api/resource.js'
import { may } from '../../state/session.js'
import { link } from '../../state/url.js'
import { toneOf } from '../../ui/badge.jsx'
import { Button } from '../../ui/button.jsx'
import { confirm } from '../../ui/confirm.jsx'
import { count, formatShare } from '../../ui/format.js'
import { act } from '../../ui/toast.jsx'
import { Time } from '../../ui/value.jsx'
import { Sentence } from '../parts/sentence.jsx'
import { allowedVerbs, command, type Verb, WORDS } from './actions.jsx'
import { countedOf } from './log.jsx'
import type { Job } from './timeline.js'

export type Explained = AnswerOf<'GET /api/v1/jobs/{id}/explain'>
type Reason = Explained['reasons'][number]

interface WhyProps {
  readonly job: Job
  readonly explained: Resource<Explained>
  readonly changed: () => unknown
}

export function Why({ job, explained, changed }: WhyProps) {
  const reasons = explained.data.value?.reasons ?? []
  if (job.state === 'failed') return <WhyFailed job={job} changed={changed} />
  if (job.finished_at !== null || explained.data.value === undefined) return null
  const running = job.state === 'running' || job.state === 'assigned'
  const first = firstOf(reasons)
  const others = reasons.filter((each) => each !== first)
  const isLost = first?.code === 'lease_over'
  return (
    <section
      class={`panel edge why ${isLost ? 'bad' : running ? 'busy' : toneOf(job.state)}`}
      aria-label={running ? 'What it does' : 'Why is it not running?'}
    >
      <div class="grow">
        <p>
          <b>{running ? 'What is it doing?' : 'Why is it not running?'}</b>{' '}
          {first === undefined ? (
            <>Nothing blocks it: a worker of {job.queue} will claim it in turn.</>
          ) : (
            <Sentence text={first.sentence} />
          )}
          {running && <Done job={job} />}
        </p>
        {others.map((reason) => (
          <p key={reason.code} class="soft">
            <Sentence text={reason.sentence} />
          </p>
        ))}
      </div>
      <div class="row">
        <Fix job={job} reason={first} changed={changed} />
      </div>
    </section>
  )
}

/** How far it is, for jobs that report it. */
function Done({ job }: { readonly job: Job }) {
  const counted = countedOf(job)
  return counted === null ? null : <> {formatShare(Math.min(1, counted.done / counted.of))} is done.</>
}

function WhyFailed({ job, changed }: { readonly job: Job; readonly changed: () => unknown }) {
  return (
    <section class="panel edge why bad" aria-label="Why did it fail?">
      <div class="grow">
        <p>
          <b>Why did it fail?</b> {job.last_error ?? job.reason ?? 'No error was recorded.'}
        </p>
        <p class="soft">
          It ended <Time at={job.finished_at} /> after {count(job.attempt, 'attempt')}
          {job.reason !== null && job.reason !== job.last_error && ` (${job.reason})`}. Nothing will run it
          again by itself.
        </p>
      </div>
      {may('operate') && (
        <Button
          look="primary"
          action="retry"
          onClick={async () => {
            if (await command(job, 'retry')) await changed()
          }}
        >
          Retry
        </Button>
      )}
    </section>
  )
}

/** The state decides which command goes first; a reason outside of the job has its own button. */
function Fix({ job, reason, changed }: { job: Job; reason: Reason | undefined; changed: () => unknown }) {
  if (reason?.code === 'queue_paused')
    return may('operate') ? <ResumeQueue name={job.queue} changed={changed} /> : null
  if (reason?.code === 'target_held') {
    const holder = reason.data.job_id
    return typeof holder === 'number' ? (
      <Button look="primary" href={link({ page: 'job', id: holder })}>
        Open job {holder}
      </Button>
    ) : null
  }
  if (reason?.code === 'no_worker') {
    return (
      <Button look="primary" href={link({ page: 'workers', queue: job.queue })}>
        See workers
      </Button>
    )
  }
  const verb = may('operate') ? verbOf(job, reason) : undefined
  if (verb === undefined) return null
  return (
    <Button
      look="primary"
      action={verb}
      onClick={async () => {
        if (await command(job, verb)) await changed()
      }}
    >
      {verb === 'retry' ? 'Run it now' : WORDS[verb].label}
    </Button>
  )
}

function verbOf(job: Job, reason: Reason | undefined): Verb | undefined {
  const allowed = allowedVerbs(job)
  const solves = (['publish', 'resume', 'retry'] as const).find((verb) => allowed.includes(verb))
  return solves ?? (reason?.code === 'behind' && allowed.includes('boost') ? 'boost' : undefined)
}

/** The reasons whose button is no command of the job. */
const OUTSIDE: ReadonlySet<string> = new Set(['queue_paused', 'target_held', 'no_worker'])

/** The command that the answer has a button for; the page needs no second one. */
export function verbOfAnswer(job: Job, explained: Explained | undefined): Verb | undefined {
  if (job.state === 'failed') return 'retry'
  if (job.finished_at !== null || explained === undefined) return undefined
  const first = firstOf(explained.reasons)
  return first !== undefined && OUTSIDE.has(first.code) ? undefined : verbOf(job, first)
}

const firstOf = (reasons: readonly Reason[]) => reasons.find(({ blocking }) => blocking) ?? reasons[0]

function ResumeQueue({ name, changed }: { name: string; changed: () => unknown }) {
  const resume = async () => {
    const yes = await confirm({ title: `Resume the queue ${name}?`, action: 'Resume queue' })
    if (yes === null) return
    await act('Queue resumed', () =>
      call('POST /api/v1/queues/{name}/resume', { params: { name }, body: yes.body }),
    )
    await changed()
  }
  return (
    <Button look="primary" onClick={resume}>
      Resume queue
    </Button>
  )
}
