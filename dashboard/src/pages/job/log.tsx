/** The log of the job: its events and what its attempts wrote, with a live tail while it runs. */
import { useState } from 'preact/hooks'
import type { AnswerOf } from '../../api/contract.js'
import type { Resource } from '../../api/resource.js'
import { connected } from '../../state/live.js'
import { Button } from '../../ui/button.jsx'
import { Empty, Loaded } from '../../ui/loaded.jsx'
import { Panel } from '../../ui/panel.jsx'
import { ProgressBar } from '../../ui/strip.jsx'
import { Num, Time } from '../../ui/value.jsx'
import { type LogLine, linesOf } from './log-lines.js'
import type { Attempt, Job } from './timeline.js'

export type JobEvents = AnswerOf<'GET /api/v1/jobs/{id}/events'>

/** Newest first; older ones come on demand. */
const SHOWN = 100

interface LogProps {
  readonly job: Job
  readonly events: Resource<JobEvents>
  readonly attempts: readonly Attempt[]
}

export function LogPanel({ job, events, attempts }: LogProps) {
  const [shown, setShown] = useState(SHOWN)
  const isLive = job.finished_at === null && connected.value
  return (
    <Panel
      title="Log"
      aside={
        <span class="soft">
          {job.finished_at !== null
            ? 'newest first'
            : isLive
              ? 'newest first · live'
              : 'newest first · not live'}
        </span>
      }
    >
      <Progress job={job} />
      <Loaded of={events}>
        {(data) => {
          const lines = linesOf(job, data.events, attempts)
          if (lines.length === 0) return <Empty title="Nothing yet">Events appear here as they happen.</Empty>
          return (
            <>
              <ol class="log mono" aria-label="Log" tabIndex={0}>
                {lines.slice(0, shown).map((line) => (
                  <Line key={line.id} line={line} />
                ))}
              </ol>
              {lines.length > shown && (
                <Button look="quiet" onClick={() => setShown(shown + SHOWN)}>
                  Show older
                </Button>
              )}
            </>
          )
        }}
      </Loaded>
    </Panel>
  )
}

function Line({ line }: { readonly line: LogLine }) {
  return (
    <li>
      <span class="faint">{line.at === null ? '' : <Time at={line.at} as="seconds" />}</span>
      <span class={line.tone}>
        {line.text}
        {line.detail !== '' && <span class="faint"> {line.detail}</span>}
      </span>
    </li>
  )
}

interface Counted {
  readonly done: number
  readonly of: number
}

/** Many report `{ done, of }`; the goal of items is another measure. */
export function countedOf(job: Job): Counted | null {
  const { progress } = job
  if (typeof progress === 'object' && progress !== null) {
    const { done, of, total } = progress as Record<string, unknown>
    const whole = typeof of === 'number' ? of : total
    if (typeof done === 'number' && typeof whole === 'number' && whole > 0) return { done, of: whole }
  }
  return job.item_goal === null ? null : { done: job.result_count, of: job.item_goal }
}

function Progress({ job }: { readonly job: Job }) {
  const counted = countedOf(job)
  if (counted === null) return null
  return (
    <div class="progress">
      <ProgressBar value={counted.done} max={counted.of} label={`${counted.done} of ${counted.of}`} />
      <p class="soft small">
        <Num value={counted.done} /> of <Num value={counted.of} />
        {job.last_progress_at !== null && (
          <>
            {' '}
            · reported <Time at={job.last_progress_at} />
          </>
        )}
      </p>
    </div>
  )
}
