/** Columns of a table of workers, for the page of workers and the page of a queue. */
import type { AnswerOf } from '../../api/contract.js'
import { link } from '../../state/url.js'
import { Badge } from '../../ui/badge.jsx'
import { Meter } from '../../ui/strip.jsx'
import type { Column } from '../../ui/table.jsx'
import { Duration, Time } from '../../ui/value.jsx'
import '../parts/parts.css'

export type Worker = AnswerOf<'GET /api/v1/workers'>['workers'][number]

/** An event loop that is this late runs handlers that block it. */
const LAG_BAD_MS = 500

export function isDraining(worker: Worker): boolean {
  return worker.draining || worker.drain_requested_at !== null
}

export function WorkerBadges({ worker }: { readonly worker: Worker }) {
  return (
    <>
      {!worker.alive && <Badge tone="bad">gone</Badge>}
      {worker.alive && isDraining(worker) && <Badge tone="time">draining</Badge>}
      {worker.alive && worker.lag_ms >= LAG_BAD_MS && <Badge tone="bad">event loop blocked</Badge>}
    </>
  )
}

function Slots({ worker: { busy, slots } }: { readonly worker: Worker }) {
  return (
    <>
      <Meter value={busy} max={slots} label={`${busy} of ${slots} slots busy`} />{' '}
      <span class="meter-number">
        {busy}
        <span class="faint"> / {slots}</span>
      </span>
    </>
  )
}

/** Of the program, if it reports one: that is what people deploy. */
export function Version({ worker: { app_version: own, version } }: { readonly worker: Worker }) {
  const shown = own ?? version
  if (shown === '') return <span class="faint">–</span>
  return (
    <span class="mono" title={own === null ? undefined : `Holdfast ${version}`}>
      {shown}
    </span>
  )
}

export function Lag({ ms }: { readonly ms: number }) {
  return (
    <span class={ms >= LAG_BAD_MS ? 'bad' : undefined}>
      <Duration ms={ms} />
    </span>
  )
}

export const workerColumns: readonly Column<Worker>[] = [
  {
    name: 'worker',
    label: 'worker',
    cell: (worker) => (
      <>
        <span class="cell-name">
          <a href={link({ page: 'worker', name: worker.worker })}>{worker.worker}</a>
          <WorkerBadges worker={worker} />
        </span>
        <span class="cell-note">
          {worker.host} · pid <span class="mono">{worker.pid}</span>
        </span>
      </>
    ),
  },
  { name: 'slots', label: 'slots', align: 'end', cell: (worker) => <Slots worker={worker} /> },
  {
    name: 'heartbeat',
    label: 'heartbeat',
    align: 'end',
    cell: ({ heartbeat_at: at, alive }) => (
      <span class={alive ? undefined : 'bad'}>
        <Time at={at} />
      </span>
    ),
  },
  {
    name: 'lag',
    label: 'event loop lag',
    align: 'end',
    wideOnly: true,
    cell: ({ lag_ms }) => <Lag ms={lag_ms} />,
  },
  {
    name: 'version',
    label: 'version',
    wideOnly: true,
    cell: (worker) => <Version worker={worker} />,
  },
  {
    name: 'since',
    label: 'up for',
    align: 'end',
    wideOnly: true,
    cell: ({ started_at }) => <Time at={started_at} as="age" />,
  },
]
