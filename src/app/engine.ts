/** The backend of workers: a database with its own connections, or a server over HTTP. */

import { Calls, received } from '../client/calls.js'
import { declareKinds } from '../client/kinds.js'
import { httpPort } from '../client/port.js'
import type { TransportOptions } from '../client/transport.js'
import { httpWakeups } from '../client/wakeups.js'
import type { Log } from '../domain/log.js'
import type { Wakeups, WorkPort } from '../domain/port.js'
import { type LocalSettings, SETTINGS, settingHere } from '../domain/settings.js'
import type { KindDepth } from '../store/gauges.js'
import { type openPort, storePort } from '../store/port.js'
import { openStore, type Store } from '../store/store.js'
import { graceOf, leaseTermsOf } from '../store/work-terms.js'
import type { WorkerMetrics } from '../telemetry/worker-metrics.js'
import type { WebhookOptions } from '../webhooks/addresses.js'
import { ThreadHeartbeat } from '../worker/heartbeat/heartbeat-host.js'
import { startUpkeep, type UpkeepLoop } from './upkeep-loop.js'

export interface Engine {
  /** The database, where this process has one. */
  readonly store: Store | undefined
  /** One port for each claimer. */
  port(): WorkPort
  wakeups(tenant: string | undefined): Wakeups | undefined
  /** A heartbeat thread with its own port, for all workers; without it heartbeats run in the main thread. */
  readonly beats: ThreadHeartbeat | undefined
  terms(queues: readonly string[], tenant: string | undefined, leaseMs: number | undefined): Promise<Terms>
  /** Claimable jobs by kind, each queue counted up to `max`. */
  depths(queues: readonly string[], tenant: string | undefined, max: number): Promise<KindDepth[]>
  readonly declareKinds: Store['kinds']['declare']
  /** Lets metrics watch its databases, until the answer is called. */
  watch(metrics: WorkerMetrics): () => void
  /** Undefined where other processes run upkeep. */
  startUpkeep(): UpkeepLoop | undefined
  close(): Promise<void>
}

interface Terms {
  readonly leaseMs: number
  readonly heartbeatMs: number
  readonly graceMs: number
  readonly longestPollMs?: number
}

export function watchAll(stores: readonly Store[], metrics: WorkerMetrics): () => void {
  const ends = stores.flatMap((store) => [
    store.observe(metrics),
    metrics.joinPool(() => store.gauges.connections()),
  ])
  return () => {
    for (const end of ends) end()
  }
}

/** Threads cannot import TypeScript: run from source, as in the tests, heartbeats run in the main thread. */
const IS_SOURCE = import.meta.url.endsWith('.ts')

/** Two claims at a time, three calls that end attempts, less what rarely happens at once. */
const CONNECTIONS = 4

interface StoreEngineOptions {
  readonly store: Store
  readonly url: string | undefined
  /** Whether workers get wake-ups for new jobs. */
  readonly notify: boolean
  readonly log: Log | undefined
  readonly local: LocalSettings
  readonly webhooks?: WebhookOptions | undefined
}

/** Connections that handlers do not share; the app's where there is only one connection. */
export async function storeEngine({
  store,
  url,
  notify,
  log,
  local,
  webhooks,
}: StoreEngineOptions): Promise<Engine> {
  const { schema } = store
  const own =
    url === undefined
      ? store
      : await openStore({ url, schema, connections: CONNECTIONS, applicationName: 'holdfast-worker', notify })
  const options: Parameters<typeof openPort>[0] = { schema, applicationName: 'holdfast-heartbeat' }
  const module = new URL('../store/port.js', import.meta.url).href
  const beats =
    url === undefined || IS_SOURCE
      ? undefined
      : new ThreadHeartbeat({ module, options: { ...options, url } }, log)
  return {
    store: own,
    port: () => storePort(own),
    wakeups: (tenant) => (notify ? own.wakeups(tenant) : undefined),
    beats,
    terms: async (queues, tenant, leaseMs) => ({
      ...(await leaseTermsOf(own, queues, tenant, leaseMs)),
      graceMs: await graceOf(own),
      longestPollMs: await longestPollOf(own, local),
    }),
    depths: (queues, tenant, max) =>
      own.work.depthByKind({ queues, countMax: max, ...(tenant === undefined ? {} : { tenant }) }),
    declareKinds: (kinds, whose) => own.kinds.declare(kinds, whose),
    // Handlers use the app's database connections, the worker its own.
    watch: (metrics) => watchAll([...new Set([store, own])], metrics),
    startUpkeep: () => startUpkeep(own, log, local, webhooks),
    async close() {
      await Promise.all([beats?.close(), own === store ? undefined : own.close()])
    },
  }
}

/** A role that may only work can read a value, but not whether it was set. */
async function longestPollOf({ settings }: Store, local: LocalSettings): Promise<number> {
  const name = 'PROCESSING_POLL_MS'
  const value = await settings.get(name)
  return settingHere(name, local, { value, origin: value === SETTINGS[name].default ? 'default' : 'set' })
}

/** The server does the upkeep, and knows the tenant by the key. */
export function serverEngine(server: TransportOptions, log: Log | undefined): Engine {
  const calls = new Calls(server)
  const module = new URL('../client/port.js', import.meta.url).href
  // Neither a function nor a URL can be sent to a thread.
  const { fetch, url, ...rest } = server
  const options = { ...rest, url: String(url) }
  const beats = IS_SOURCE || fetch !== undefined ? undefined : new ThreadHeartbeat({ module, options }, log)
  return {
    store: undefined,
    port: () => httpPort(server),
    wakeups: () => httpWakeups(server),
    beats,
    terms: async (queues, _tenant, leaseMs) => {
      const body = { queues: [...queues], ...(leaseMs === undefined ? {} : { lease_ms: leaseMs }) }
      const terms = await calls.call('POST', '/api/v1/work/terms', { body, repeatable: true })
      return { leaseMs: terms.lease_ms, heartbeatMs: terms.heartbeat_ms, graceMs: terms.grace_ms }
    },
    depths: async (queues, _tenant, max) => {
      const body = { queues: [...queues], max }
      const { kinds } = await calls.call('POST', '/api/v1/work/depths', { body, repeatable: true })
      return kinds.map(received)
    },
    declareKinds: (kinds) => declareKinds(calls, kinds),
    watch: () => () => {},
    startUpkeep: () => undefined,
    close: async () => beats?.close(),
  }
}
