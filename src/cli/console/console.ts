/**
 * What commands can do to a Holdfast installation, whether they reach it through its database (`database.ts`) or through its HTTP API
 * (`server.ts`). Both sides are checked against this interface, so a method that one of them lacks does not compile. Names and shapes are the
 * store's, without the fields that the API does not show. Through a server, the API key decides tenant and actor.
 */
import type { Chores } from '../../domain/chores.js'
import type { NewSchedule } from '../../domain/schedule/definition.js'
import type { OverviewProblem } from '../../domain/stats/problems.js'
import type {
  BulkOperation,
  BulkPreview,
  BulkRequest,
  BulkResult,
  BulkStart,
} from '../../store/bulk/bulk-operations.js'
import type { JobFlow } from '../../store/charts/overview.js'
import type { Attribution } from '../../store/job-commands.js'
import type { JobFilter, ListedJob, Page } from '../../store/list/listing.js'
import type { Attempt, FeedEvent } from '../../store/rows.js'
import type { Schedule } from '../../store/schedules/schedule-reads.js'
import type { ScheduleAttribution } from '../../store/schedules/schedules.js'
import type { Examined } from '../../store/search/job-search.js'
import type { SettingValue } from '../../store/settings.js'
import type { Store } from '../../store/store.js'
import type { WorkerRow } from '../../store/workers.js'
import type { Webhooks } from '../../webhooks/webhooks.js'

export type ShownAttempt = Omit<Attempt, 'lease'>
export type ShownEvent = Omit<FeedEvent, 'id'>
export type ShownBulk = Omit<BulkOperation, 'tenant'>
export type ShownWorker = Omit<WorkerRow, 'lease'>
export type ShownSetting = Omit<SettingValue, 'name'> & { readonly name: string }
export type ShownSchedule = Omit<
  Schedule,
  'priority' | 'revision' | 'windowSince' | 'windowUntil' | 'windowBy' | 'windowNote'
> & {
  /** Null: as the kind declares. */
  readonly priority: number | null
}

export interface Console {
  readonly enqueueMany: Store['enqueueMany']
  readonly read: JobReadConsole
  readonly list: JobListConsole
  readonly search: SearchConsole
  readonly commands: Pick<
    Store['commands'],
    'cancel' | 'retry' | 'resume' | 'skip' | 'discard' | 'boost' | 'setPriority'
  >
  readonly bulk: BulkConsole
  readonly queues: Pick<
    Store['queues'],
    'list' | 'get' | 'create' | 'update' | 'rename' | 'remove' | 'pause' | 'resume'
  >
  readonly stats: Pick<Store['stats'], 'byQueue'>
  readonly overview: OverviewConsole
  readonly errors: Pick<Store['errors'], 'list' | 'get' | 'samples'>
  readonly kinds: Pick<Store['kinds'], 'list'>
  readonly subjects: Pick<Store['subjects'], 'list' | 'find' | 'add' | 'set' | 'remove'>
  readonly schedules: ScheduleConsole
  readonly workers: Pick<Store['workers'], 'drain'> & {
    list(where: { readonly tenant?: string }): Promise<ShownWorker[]>
  }
  readonly alerts: AlertConsole
  readonly webhooks: Pick<Webhooks, 'add' | 'list' | 'enable' | 'remove' | 'test' | 'deliveries'>
  readonly settings: SettingConsole
  readonly upkeep: Chores
  readonly keys: Pick<Store['keys'], 'create' | 'list' | 'keysRequiredSince' | 'rotate' | 'revoke'>
  readonly tenants: Pick<Store['tenants'], 'list' | 'get' | 'setLimits'>
  readonly audit: Pick<Store['audit'], 'list'>
}

export type ShownProblem = Pick<
  OverviewProblem,
  'id' | 'type' | 'severity' | 'text' | 'next' | 'since' | 'actions'
>

interface OverviewConsole {
  read(where: { readonly tenant?: string }): Promise<{
    readonly problems: readonly ShownProblem[]
    readonly problemsCapped: boolean
    readonly flow: JobFlow
  }>
}

interface BulkConsole {
  preview(request: BulkRequest): Promise<Omit<BulkPreview, 'samples'>>
  start(request: BulkStart): Promise<{ readonly operation: ShownBulk }>
  get(id: number): Promise<ShownBulk>
  list(where: { readonly tenant: string; readonly limit: number }): Promise<ShownBulk[]>
  results(id: number, where: { readonly ok: boolean; readonly limit: number }): Promise<BulkResult[]>
  abort(id: number, act: Attribution): Promise<ShownBulk>
  /** On a database: carries the operation out for a moment. Through a server: waits a moment. */
  proceed(id: number, signal: AbortSignal): Promise<void>
}

interface JobReadConsole extends Pick<Store['read'], 'job' | 'explain' | 'history' | 'exportItems'> {
  attempts(jobId: number): Promise<ShownAttempt[]>
  feed(cursor?: string): Promise<{ cursor: string; events: ShownEvent[] }>
}

export type JobListFilter = Pick<
  JobFilter,
  'tenant' | 'queue' | 'state' | 'kind' | 'target' | 'key' | 'limit' | 'after'
>

interface JobListConsole
  extends Pick<Store['list'], 'named' | 'queueCounts' | 'liveKinds' | 'blockedTargets'> {
  jobs(filter: JobListFilter): Promise<Page<ListedJob>>
}

/** `q` is the text of a search. */
export interface SearchConsole {
  page(
    q: string,
    scope: { readonly tenant?: string; readonly limit: number; readonly after?: string },
  ): Promise<{ rows: readonly ListedJob[]; next: string | null; examined: Examined }>
}

interface ScheduleConsole
  extends Pick<
    Store['schedules'],
    | 'remove'
    | 'pause'
    | 'resume'
    | 'run'
    | 'preview'
    | 'previewOf'
    | 'history'
    | 'explain'
    | 'maintenance'
    | 'pauseAll'
    | 'resumeAll'
  > {
  all(where: { readonly tenant?: string }): Promise<ShownSchedule[]>
  get(name: string, where: { readonly tenant?: string }): Promise<ShownSchedule>
  create(schedule: NewSchedule, act: ScheduleAttribution): Promise<ShownSchedule>
  update(
    name: string,
    changes: Parameters<Store['schedules']['update']>[1],
    act: ScheduleAttribution,
  ): Promise<ShownSchedule>
  reset(name: string, act: ScheduleAttribution): Promise<ShownSchedule>
}

interface AlertConsole
  extends Pick<Store['alerts'], 'list' | 'get' | 'history' | 'unsilence' | 'rules' | 'setRule'> {
  /** Returns the end of the silence. */
  silence(
    id: number,
    silence: Attribution & { readonly until?: string; readonly forMs?: number },
  ): Promise<Date | null>
}

interface SettingConsole {
  list(): Promise<ShownSetting[]>
  get(name: string): Promise<number>
  set(name: string, value: number, act: Attribution): Promise<void>
  reset(name: string, act: Attribution): Promise<void>
}
