/** The results of the last slots of a schedule: as a strip, and as a table. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { call } from '../../api/call.js'
import { type Resource, useResource } from '../../api/resource.js'
import { zone } from '../../state/clock.js'
import { link } from '../../state/url.js'
import { Badge } from '../../ui/badge.jsx'
import { formatExact } from '../../ui/format.js'
import { Empty, Loaded } from '../../ui/loaded.jsx'
import { Panel } from '../../ui/panel.jsx'
import { type Mark, Strip } from '../../ui/strip.jsx'
import { Table } from '../../ui/table.jsx'
import { Time } from '../../ui/value.jsx'
import './schedules.css'
import { type Firing, OUTCOME } from './words-of-fields.js'

const SHOWN = 20

type Firings = Awaited<ReturnType<typeof loadFirings>>

export function loadFirings(name: string, signal: AbortSignal) {
  return call('GET /api/v1/schedules/{name}/history', {
    params: { name },
    query: { page_size: SHOWN },
    signal,
  })
}

function marksOf(firings: readonly Firing[]): Mark[] {
  return [...firings].reverse().map(({ outcome, slot, job_id: id }) => ({
    tone: OUTCOME[outcome].tone,
    title: `${formatExact(Date.parse(slot), zone.value).slice(0, 16)}: ${OUTCOME[outcome].words}`,
    ...(id === null ? {} : { href: link({ page: 'job', id }) }),
  }))
}

/** Loads when its row comes into view: a list of many schedules makes few calls. */
export function FiringStrip({ name }: { readonly name: string }) {
  const element = useRef<HTMLSpanElement>(null)
  const [seen, setSeen] = useState(false)
  useEffect(() => {
    if (element.current === null) return
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true)
    })
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [])
  return <span ref={element}>{seen && <LoadedStrip name={name} />}</span>
}

function LoadedStrip({ name }: { readonly name: string }) {
  const firings = useResource((signal) => loadFirings(name, signal), [name], { live: false })
  const data = firings.data.value
  if (data === undefined || data.firings.length === 0) return <span class="faint">–</span>
  return <Strip label={`Last firings of ${name}`} marks={marksOf(data.firings)} />
}

export function FiringsPanel({ of }: { readonly of: Resource<Firings> }) {
  return (
    <Panel title={`Last ${SHOWN} firings`} flush>
      <Loaded of={of} rows={6}>
        {({ firings }) =>
          firings.length === 0 ? (
            <Empty title="It has not fired yet" />
          ) : (
            <>
              <div class="strip-big">
                <Strip label="Last firings, oldest first" marks={marksOf(firings)} />
              </div>
              <FiringTable firings={firings} />
            </>
          )
        }
      </Loaded>
    </Panel>
  )
}

function FiringTable({ firings }: { readonly firings: readonly Firing[] }) {
  // Slots of a schedule that fires several times a minute would look the same.
  const minutes = firings.map(({ slot }) => Math.floor(Date.parse(slot) / 60_000))
  const precision = new Set(minutes).size < minutes.length ? 'seconds' : 'clock'
  return (
    <Table
      label="Firings"
      rows={firings}
      rowKey={({ id }) => id}
      columns={[
        {
          name: 'slot',
          label: 'slot',
          cell: ({ slot, last_slot: last, slots }) => (
            <>
              <Time at={slot} as={precision} />
              {last !== slot && (
                <>
                  {' – '}
                  <Time at={last} as={precision} />{' '}
                  <span class="faint">{slots === null ? 'many slots' : `${slots} slots`}</span>
                </>
              )}
            </>
          ),
        },
        {
          name: 'outcome',
          label: 'outcome',
          cell: ({ outcome }) => <Badge tone={OUTCOME[outcome].tone}>{OUTCOME[outcome].words}</Badge>,
        },
        {
          name: 'job',
          label: 'job',
          cell: ({ job_id: id }) =>
            id === null ? (
              <span class="faint">–</span>
            ) : (
              <a class="mono" href={link({ page: 'job', id })}>
                #{id}
              </a>
            ),
        },
        {
          name: 'note',
          label: 'note',
          wideOnly: true,
          cell: ({ note, actor }) => [actor, note].filter((each) => each !== null).join(': '),
        },
        {
          name: 'fired',
          label: 'fired',
          align: 'end',
          wideOnly: true,
          cell: ({ fired_at: at }) => <Time at={at} />,
        },
      ]}
    />
  )
}
