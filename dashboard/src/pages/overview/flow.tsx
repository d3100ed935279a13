/** The flow as a picture: places as boxes with live counts, arrows with rates per minute. */
import type { ComponentChildren } from 'preact'
import { now } from '../../state/clock.js'
import type { Overview } from '../../state/counts.js'
import { link } from '../../state/url.js'
import { Badge, type Tone } from '../../ui/badge.jsx'
import { count as counted, formatShare } from '../../ui/format.js'
import { Panel } from '../../ui/panel.jsx'
import { Num, Time } from '../../ui/value.jsx'

type Flow = Overview['flow']
type Count = Flow['places']['ready']

const search = (q: string) => link({ page: 'jobs', q })

export function FlowPanel({ flow }: { readonly flow: Flow }) {
  const { places, per_minute: rate, ended_24h: ended } = flow
  const all = ended.succeeded + ended.failed + ended.canceled
  return (
    <Panel title="Flow" aside="now · arrows per minute">
      <div class="flow">
        <Arrow rate={rate.enqueued} label="enqueued" first />
        <Box name="delayed" count={places.delayed} href={search('state:scheduled,retrying')}>
          {flow.next_due_at === null ? 'nothing due' : <NextDue at={flow.next_due_at} />}
        </Box>
        <Arrow />
        <Box name="ready" count={places.ready} href={search('state:queued')}>
          {flow.oldest_ready_at === null ? (
            'none wait'
          ) : (
            <>
              oldest <Time at={flow.oldest_ready_at} as="age" />
            </>
          )}
        </Box>
        <Arrow rate={rate.started} label="started" />
        <Box name="running" count={places.running} href={search('state:running,assigned')} busy>
          of {counted(flow.slots, 'slot')}
        </Box>
        <Arrow rate={rate.ended} label="ended" />
        <div class="flow-box">
          <span class="soft">ended in 24 h</span>
          <b>
            <Num value={all} compact />
          </b>
          <span class="faint">{all === 0 ? 'none yet' : `${formatShare(ended.failed / all)} failed`}</span>
        </div>
      </div>
      <Chips places={places} />
    </Panel>
  )
}

/** A due job is promoted by the next claim: for a moment its time is in the past. */
function NextDue({ at }: { readonly at: string }) {
  return Date.parse(at) < now.value + 1_000 ? (
    <>due now</>
  ) : (
    <>
      next <Time at={at} />
    </>
  )
}

interface BoxProps {
  readonly name: string
  readonly count: Count
  readonly href: string
  readonly busy?: boolean
  readonly children: ComponentChildren
}

function Box({ name, count, href, busy = false, children }: BoxProps) {
  return (
    <a class={`flow-box${busy && count.count > 0 ? ' busy' : ''}`} href={href}>
      <span class="soft">{name}</span>
      <b>
        <Num value={count.count} compact />
        {count.capped ? '+' : ''}
      </b>
      <span class="faint">{children}</span>
    </a>
  )
}

function Arrow({
  rate,
  label,
  first = false,
}: {
  readonly rate?: number
  readonly label?: string
  readonly first?: boolean
}) {
  return (
    <div class={`flow-arrow${first ? ' first' : ''}`}>
      <span class="arrow" aria-hidden="true">
        →
      </span>
      {rate !== undefined && (
        <span title={`${label} per minute`}>
          <span class="hidden-visually">{label} per minute: </span>
          <Num value={Math.round(rate * 10) / 10} compact />
        </span>
      )}
    </div>
  )
}

function Chips({ places }: { readonly places: Flow['places'] }) {
  const chips: readonly [Count, Tone, string, string, string][] = [
    [places.blocked, 'held', 'blocked target', 'blocked targets', link({ page: 'targets' })],
    [places.waiting, 'held', 'waiting behind it', 'waiting behind a target', search('state:waiting')],
    [places.paused, 'time', 'paused', 'paused', search('state:paused,errored')],
    [places.parked, 'held', 'parked', 'parked', search('state:parked')],
    [places.pending, 'time', 'not published', 'not published', search('state:pending')],
  ]
  const shown = chips.filter(([{ count }]) => count > 0)
  if (shown.length === 0) return null
  return (
    <div class="flow-chips">
      {shown.map(([{ count, capped }, tone, one, many, href]) => (
        <a key={many} href={href}>
          <Badge tone={tone}>
            <Num value={count} />
            {capped ? '+' : ''} {count === 1 ? one : many}
          </Badge>
        </a>
      ))}
    </div>
  )
}
