/** One worker: its slots, its heartbeat and the jobs it holds. */
import { call } from '../../api/call.js'
import { useResource } from '../../api/resource.js'
import { may } from '../../state/session.js'
import { link, textParam } from '../../state/url.js'
import { Button } from '../../ui/button.jsx'
import { Loaded } from '../../ui/loaded.jsx'
import { Facts, Page, Panel } from '../../ui/panel.jsx'
import { Meter } from '../../ui/strip.jsx'
import { Num, Time } from '../../ui/value.jsx'
import { Halves, Notice, Tile, Tiles } from '../parts/parts.jsx'
import { isDraining, Lag, Version, type Worker, WorkerBadges } from './columns.jsx'
import { drainWorker } from './drain.js'
import { HeldJobs, RecentJobs } from './jobs.jsx'

const name = textParam('name')

export function WorkerPage() {
  const worker = useResource(
    (signal) => call('GET /api/v1/workers/{name}', { params: { name: name.value }, signal }),
    [],
    { pollMs: 5_000 },
  )
  const found = worker.data.value
  return (
    <Page
      title={
        <span class="cell-name">
          {name.value} {found !== undefined && <WorkerBadges worker={found} />}
        </span>
      }
      name={`Worker ${name.value}`}
      actions={
        may('operate') &&
        found?.alive &&
        !isDraining(found) && (
          <Button
            look="danger"
            onClick={async () => {
              if (await drainWorker(found)) await worker.reload()
            }}
          >
            Drain…
          </Button>
        )
      }
    >
      <Loaded of={worker} rows={6}>
        {(data) => <About worker={data} />}
      </Loaded>
      {found !== undefined && <HeldJobs worker={found} />}
      <RecentJobs worker={name.value} />
    </Page>
  )
}

function About({ worker }: { readonly worker: Worker }) {
  return (
    <>
      {!worker.alive && (
        <Notice tone="bad">
          <p>
            <b>Gone.</b> Its last heartbeat was <Time at={worker.heartbeat_at} />, and it did not leave by
            itself.
          </p>
          <p class="soft">Its jobs go back to the queue when their leases expire.</p>
        </Notice>
      )}
      {worker.alive && isDraining(worker) && (
        <Notice tone="time">
          <p>
            <b>Draining</b>
            {worker.drain_requested_by !== null && ` for ${worker.drain_requested_by}`}{' '}
            {worker.drain_requested_at !== null && <Time at={worker.drain_requested_at} />}
            {worker.drain_reason === null ? '.' : `: ${worker.drain_reason}`}
          </p>
          <p class="soft">It claims no more jobs and stops after {worker.busy} running ones.</p>
        </Notice>
      )}
      <Tiles label="The worker now">
        <Tile
          name="slots busy"
          value={
            <>
              {worker.busy}
              <span class="faint"> / {worker.slots}</span>
            </>
          }
          note={
            <Meter
              value={worker.busy}
              max={worker.slots}
              label={`${worker.busy} of ${worker.slots} slots busy`}
            />
          }
        />
        <Tile
          name="leases"
          value={<Num value={worker.leases} />}
          note={<Expiry at={worker.lease_expires_at} />}
        />
        <Tile
          name="heartbeat"
          value={<Time at={worker.heartbeat_at} />}
          tone={worker.alive ? undefined : 'bad'}
        />
        <Tile name="event loop lag" value={<Lag ms={worker.lag_ms} />} />
      </Tiles>
      <Halves>
        <Panel title="Process">
          <Facts
            rows={[
              ['Host', <span class="mono">{worker.host}</span>],
              ['Process', <span class="mono">{worker.pid}</span>],
              ['Version', <Version worker={worker} />],
              ['Started', <Time at={worker.started_at} />],
            ]}
          />
        </Panel>
        <Panel title="Serves">
          <Facts
            rows={[
              [
                'Queues',
                <span class="row">
                  {worker.queues.map((queue) => (
                    <a key={queue} href={link({ page: 'queue', name: queue })}>
                      {queue}
                    </a>
                  ))}
                </span>,
              ],
              [
                'Kinds',
                worker.kinds.length === 0 ? (
                  'every kind'
                ) : (
                  <span class="row">
                    {worker.kinds.map((kind) => (
                      <a key={kind} href={link({ page: 'kind', name: kind })}>
                        {kind}
                      </a>
                    ))}
                  </span>
                ),
              ],
            ]}
          />
        </Panel>
      </Halves>
    </>
  )
}

function Expiry({ at }: { at: string | null }) {
  return at === null ? (
    <>none held</>
  ) : (
    <>
      until <Time at={at} as="seconds" />
    </>
  )
}
