/** What is built once per server and shared by all its calls. */
import { PACKAGE_VERSION } from '../database/package.js'
import type { Chores } from '../domain/chores.js'
import { holdfastError } from '../domain/errors/errors.js'
import type { Log } from '../domain/log.js'
import { Results } from '../store/finish/results.js'
import type { Store } from '../store/store.js'
import type { DatabaseFacts } from '../telemetry/database-facts.js'
import { ServerMetrics } from '../telemetry/server-metrics.js'
import { openTraces, type Traces } from '../telemetry/traces.js'
import type { WebhookOptions } from '../webhooks/addresses.js'
import { Webhooks } from '../webhooks/webhooks.js'
import { InFlightRequests, Intake } from './access/intake.js'
import { type HostedCaller, Principals } from './access/principal.js'
import { type Redact, redactedPaths, redactor } from './access/redact.js'
import { Seal } from './access/seal.js'
import { Waits } from './access/waiting-calls.js'
import { type DashboardBundle, readBundle } from './dashboard/bundle.js'
import { databaseFacts } from './database-facts.js'
import { BasePath, basePathOf } from './http/base-path.js'
import type { HttpLimits } from './http/limits.js'
import { messageOf } from './http/problem.js'
import type { Route } from './http/route.js'
import { Hub } from './live/hub.js'
import { ApiDocs } from './pages/docs.js'
import { QueuePresets } from './queue-presets.js'
import { WorkerSessions } from './work/worker-sessions.js'

export interface ServerContext {
  /** For what concerns all tenants. A handler uses the store of its call. */
  readonly store: Store
  readonly seal: Seal
  readonly waits: Waits
  readonly limits: HttpLimits
  readonly principals: Principals
  /** Applies the limits of tenants to new jobs. */
  readonly intake: Intake
  readonly inFlight: InFlightRequests
  readonly queuePresets: QueuePresets
  readonly chores: Chores
  /** Replaces the values in a payload that callers must not see. */
  readonly redact: Redact
  /** Whether a path of a payload is redacted, or a part of it is. */
  readonly isRedacted: (path: readonly string[]) => boolean
  readonly webhooks: Webhooks
  readonly metrics: ServerMetrics
  /** Numbers of the database for metrics, at most a few seconds old. */
  facts(): Promise<DatabaseFacts>
  readonly traces: Traces | undefined
  /** The flag or variable that overrides a setting of the database in this process, if there is one. */
  settingOrigin(name: string): string | undefined
  /** For failures that no response reports. */
  readonly log?: Log | undefined
  /** Aborts when the server begins to stop. */
  readonly stopping: AbortSignal
  readonly routes: readonly Route[]
  readonly docs: ApiDocs
  /** Refuses every call that changes something. */
  readonly readOnly: boolean
  /** The path below which a browser finds this server. */
  readonly basePath: BasePath
  /** The built dashboard, read on first use. */
  dashboard(): DashboardBundle
  /** Leases, claims and long polls of workers. */
  readonly sessions: WorkerSessions
  /** Live events for all subscribers. */
  readonly hub: Hub
  /** Ends of jobs for all calls that wait for them. */
  readonly results: Results
}

/** The options of `buildServer` that the context needs. */
export interface ContextOptions {
  /** The server will be bound to loopback. It accepts calls without a key as long as no key was ever created. */
  readonly loopback?: boolean
  /** A key for all tenants and scopes, which is in no table. */
  readonly adminKey?: string
  /** A key for everything, used by the link `/?sign_in=…` that signs in the person who has started this server. */
  readonly linkKey?: string
  /** Refuse every call that changes something, whatever the key allows. */
  readonly readOnly?: boolean
  /** Values to redact from payloads: JSON pointers with * for every element or field, like /cards/*\/number. */
  readonly redact?: readonly string[]
  /** Addresses that webhooks may call besides public ones. */
  readonly webhooks?: WebhookOptions
  /** The flag or variable that overrides a setting of the database; the API then refuses to change that setting. */
  readonly settingOrigin?: (name: string) => string | undefined
  /** The upkeep of this process, which the API lists and runs. Default: a read-only list of what other processes do. */
  readonly chores?: Chores
  /** Clock in milliseconds for limits per second. Tests pin it. */
  readonly now?: () => number
  /** The path below which a proxy or a host program mounts this server, like `/ops/jobs`. Requests may come with it or without. */
  readonly basePath?: string
  /** Believe the headers `X-Forwarded-…` of requests. Only behind a proxy that sets all of them itself. */
  readonly trustProxy?: boolean
  /** Default: a registry of its own. */
  readonly metrics?: ServerMetrics
}

interface ContextParts extends Pick<ServerContext, 'limits' | 'log' | 'routes' | 'stopping'> {
  readonly hosted: HostedCaller | undefined
}

export function createContext(
  store: Store,
  options: ContextOptions,
  { limits, log, routes, stopping, hosted }: ContextParts,
): ServerContext {
  const basePath = new BasePath(basePathOf(options.basePath), options.trustProxy ?? false)
  const hub = new Hub(store, {}, log)
  const results = new Results(store.read)
  stopping.addEventListener('abort', () => {
    hub.stop()
    results.close()
  })
  return {
    store,
    seal: new Seal(store),
    waits: new Waits(limits.waitsPerTenantMax),
    limits,
    principals: new Principals(store, limits, {
      mayBeOpen: options.loopback ?? false,
      adminKey: options.adminKey,
      linkKey: options.linkKey,
      basePath,
      hosted,
    }),
    intake: new Intake(store, limits, options.now),
    inFlight: new InFlightRequests(),
    queuePresets: new QueuePresets(limits),
    chores: options.chores ?? readOnlyUpkeep(store),
    redact: redactor(options.redact ?? []),
    isRedacted: redactedPaths(options.redact ?? []),
    webhooks: new Webhooks(store, options.webhooks),
    metrics: options.metrics ?? new ServerMetrics({ version: PACKAGE_VERSION }),
    facts: databaseFacts(store, (part, error) =>
      log?.error({ event: 'metrics_query_failed', part, error: messageOf(error) }, 'metrics query failed'),
    ),
    traces: openTraces(PACKAGE_VERSION),
    settingOrigin: options.settingOrigin ?? (() => undefined),
    log,
    stopping,
    routes,
    docs: new ApiDocs(routes),
    readOnly: options.readOnly ?? false,
    basePath,
    dashboard: once(readBundle),
    sessions: new WorkerSessions(),
    hub,
    results,
  }
}

/** For a server that does no upkeep itself: it lists the chores of other processes and can run none. */
function readOnlyUpkeep({ upkeep }: Store): Chores {
  return {
    list: async () => (await upkeep.chores()).map((run) => ({ of: '', ...run })),
    run: async (chore) => {
      throw holdfastError('unknown_chore', { chore })
    },
  }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
