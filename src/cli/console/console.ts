/**
 * What commands can do to a Holdfast installation, whether they reach it through its database (`database.ts`) or through its HTTP API
 * (`server.ts`). Both sides are checked against this interface, so a method that one of them lacks does not compile. Names and shapes are the
 * store's, without the fields that the API does not show. Through a server, the API key decides tenant and actor.
 */
import type { Chores } from '../../domain/chores.js'
import type { NewSchedule } from '../../domain/schedule/definition.js'
import type { Attribution } from '../../store/job-commands.js'
import type { JobFilter, ListedJob, Page } from '../../store/list/listing.js'
import type { Attempt, FeedEvent } from '../../store/rows.js'
import type { Schedule } from '../../store/schedules/schedule-reads.js'
import type { ScheduleAct } from '../../store/schedules/schedules.js'
import type { SettingValue } from '../../store/settings.js'
import type { Store } from '../../store/store.js'
import type { WorkerRow } from '../../store/workers.js'
import type { Webhooks } from '../../webhooks/webhooks.js'

export type ShownAttempt = Omit<Attempt, 'lease'>
export type ShownEvent = Omit<FeedEvent, 'id'>
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
  readonly commands: Pick<
    Store['commands'],
    'cancel' | 'retry' | 'resume' | 'skip' | 'discard' | 'boost' | 'setPriority'
  >
  readonly queues: Pick<
    Store['queues'],
    'list' | 'get' | 'create' | 'update' | 'rename' | 'remove' | 'pause' | 'resume'
  >
  readonly stats: Pick<Store['stats'], 'byQueue'>
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
  readonly keys: Pick<Store['keys'], 'create' | 'list' | 'closedSince' | 'rotate' | 'revoke'>
  readonly tenants: Pick<Store['tenants'], 'list' | 'get' | 'setLimits'>
  readonly audit: Pick<Store['audit'], 'list'>
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

interface ScheduleConsole
  extends Pick<
    Store['schedules'],
    | 'delete'
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
  create(schedule: NewSchedule, act: ScheduleAct): Promise<ShownSchedule>
  update(
    name: string,
    changes: Parameters<Store['schedules']['update']>[1],
    act: ScheduleAct,
  ): Promise<ShownSchedule>
  reset(name: string, act: ScheduleAct): Promise<ShownSchedule>
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
