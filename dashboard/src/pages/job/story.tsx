/** The story of a job as bars on one time axis. Each attempt opens its log, error or result. */
import { useState } from 'preact/hooks'
import { now, zone } from '../../state/clock.js'
import { Button } from '../../ui/button.jsx'
import { CopyButton } from '../../ui/copy.jsx'
import { count, formatDuration, formatExact } from '../../ui/format.js'
import { JsonTree } from '../../ui/json-tree.jsx'
import { Facts, Panel } from '../../ui/panel.jsx'
import { Duration, Time } from '../../ui/value.jsx'
import { type Attempt, type Job, type Placed, placed, storyOf } from './timeline.js'

/** Older ones come on demand. */
const SHOWN = 40

export function StoryPanel({ job, attempts }: { readonly job: Job; readonly attempts: readonly Attempt[] }) {
  const [shown, setShown] = useState(SHOWN)
  const story = storyOf(job, attempts, now.value)
  const bars = story.bars.slice(-shown)
  const older = story.bars.length - bars.length
  const first = bars[0]
  const last = bars.at(-1)
  const whole = first === undefined || last === undefined ? 0 : last.to - first.from
  return (
    <Panel
      title="Story"
      aside={
        <span class="soft">
          {[
            count(story.attempts, 'attempt'),
            ...(story.failed > 0 ? [`${story.failed} failed`] : []),
            ...(story.lost > 0 ? [`${story.lost} lost`] : []),
            formatDuration(whole),
          ].join(' · ')}
        </span>
      }
    >
      {older > 0 && (
        <Button look="quiet" onClick={() => setShown(shown + SHOWN)}>
          Show {Math.min(older, SHOWN)} older of {older}
        </Button>
      )}
      <ol class="story">
        {placed(bars).map((place) => (
          <Row key={place.bar.id} place={place} job={job} />
        ))}
      </ol>
      {first !== undefined && last !== undefined && (
        <div class="story-axis faint small" aria-hidden="true">
          <span />
          <span class="story-ends">
            <Time at={first.from} as="seconds" />
            {last.open ? <span>now</span> : <Time at={last.to} as="seconds" />}
          </span>
          <span />
        </div>
      )}
    </Panel>
  )
}

function Row({ place, job }: { readonly place: Placed; readonly job: Job }) {
  const { bar, left, width, broken } = place
  const exact = `${formatExact(bar.from, zone.value)} to ${bar.open ? 'now' : formatExact(bar.to, zone.value)}`
  const line = (
    <>
      <span class="story-label cut">
        {bar.number === undefined ? <span class="soft">{bar.label}</span> : <b>{bar.label}</b>}
        {bar.worker && <span class="soft"> {bar.worker}</span>}
      </span>
      <span class="story-track" title={exact}>
        <span
          class={`story-bar ${bar.look}${bar.open ? ' open' : ''}${broken ? ' broken' : ''}`}
          style={{ left: `${left * 100}%`, width: `${width * 100}%` }}
        />
      </span>
      <span class={`story-end num ${bar.look === 'lost' || bar.look === 'bad' ? 'bad' : ''}`}>
        {bar.look === 'lost' && 'lost · '}
        {bar.from === bar.to && bar.number === undefined ? (
          <Time at={bar.to} as="clock" />
        ) : (
          <Duration ms={bar.to - bar.from} />
        )}
      </span>
    </>
  )
  if (bar.attempt === undefined && !bar.open) return <li class="story-row">{line}</li>
  if (bar.attempt === undefined && bar.number === undefined) return <li class="story-row">{line}</li>
  return (
    <li>
      <details
        class="story-details"
        open={bar.attempt?.final === true && bar.attempt.outcome !== 'succeeded'}
      >
        <summary class="story-row">{line}</summary>
        <div class="story-inside">
          {bar.attempt === undefined ? <Running job={job} /> : <Ended attempt={bar.attempt} />}
        </div>
      </details>
    </li>
  )
}

function Running({ job }: { readonly job: Job }) {
  return (
    <Facts
      rows={[
        ['claimed', <Time key="t" at={job.claimed_at} as="exact" />],
        ['started', <Time key="t" at={job.started_at} as="exact" none="not yet" />],
        ['last heartbeat', <Time key="t" at={job.heartbeat_at} />],
        ['lease until', <Time key="t" at={job.lease_expires_at} as="seconds" />],
      ]}
    />
  )
}

function Ended({ attempt }: { readonly attempt: Attempt }) {
  const { error_class, error_message, error_stack, log_excerpt, result } = attempt
  return (
    <>
      {error_message !== null && (
        <p class="bad attempt-error">
          {error_class !== null && error_class !== 'Error' && <b>{error_class}: </b>}
          {error_message}
        </p>
      )}
      <Facts
        rows={[
          [
            'outcome',
            <>
              {attempt.outcome}
              {attempt.moved_to !== attempt.outcome && `, then ${attempt.moved_to}`}
              {attempt.reason !== null && <span class="soft"> · {attempt.reason}</span>}
            </>,
          ],
          ['claimed', <Time key="t" at={attempt.claimed_at} as="exact" none="never" />],
          ['started', <Time key="t" at={attempt.started_at} as="exact" none="never" />],
          ['ended', <Time key="t" at={attempt.finished_at} as="exact" />],
          attempt.worker === null ? null : ['worker', <span class="mono">{attempt.worker}</span>],
          attempt.error_fingerprint === null
            ? null
            : ['fingerprint', <span class="mono">{attempt.error_fingerprint}</span>],
        ]}
      />
      {result !== null && result !== undefined && <JsonTree value={result} label="Result of the attempt" />}
      {log_excerpt !== null && log_excerpt !== '' && <Excerpt title="Log" text={log_excerpt} />}
      {error_stack !== null && error_stack !== '' && <Excerpt title="Stack" text={error_stack} />}
    </>
  )
}

function Excerpt({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <div>
      <div class="row">
        <h3 class="grow">{title}</h3>
        <CopyButton text={text} />
      </div>
      <pre class="excerpt" tabIndex={0}>
        {text.trimEnd()}
      </pre>
    </div>
  )
}
