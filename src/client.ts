/** A client of a Holdfast server, for every program that has `fetch`: a service without a database, an edge function, a browser. */
export type {
  AlertCalls,
  AlertQuery,
  AlertRuleChange,
  ApiAlert as Alert,
  ApiAlertEvent as AlertEvent,
  ApiAlertRule as AlertRule,
  Silence,
} from './client/alerts.js'
export type {
  ApiBulkOperation as BulkOperation,
  ApiBulkPreview as BulkPreview,
  ApiBulkResult as BulkResult,
  BulkCalls,
  BulkQuery,
  BulkQueryOptions,
} from './client/bulk.js'
export type { Paging } from './client/calls.js'
export {
  type ApiEnqueueManyOptions as EnqueueManyOptions,
  type ApiEnqueueOptions as EnqueueOptions,
  type ApiJobExtras as JobExtras,
  Client,
  type ClientOptions,
  createClient,
  type JobPage,
  type JobQuery,
} from './client/client.js'
export type { ApiWorker as Worker, CommandReason, JobCalls, WorkerCalls } from './client/commands.js'
export type { Definitions, JobDefinition } from './client/definitions.js'
export type { ApiJobHandle as JobHandle, ApiRow as JobRow } from './client/job-handle.js'
export type {
  ApiCountedQueue as CountedQueue,
  ApiPolicy as Policy,
  ApiQueue as Queue,
  ApiQueueStats as QueueStats,
  ApiTarget as Target,
  QueueCalls,
} from './client/queues.js'
export type {
  ApiFiring as Firing,
  ApiMaintenance as Maintenance,
  ApiSchedule as Schedule,
  ApiScheduleChange as ScheduleChange,
  ApiScheduleReason as ScheduleReason,
  NewApiSchedule as NewSchedule,
  ScheduleCalls,
} from './client/schedules.js'
export type { ApiSetting as Setting, SettingCalls } from './client/settings.js'
export type {
  ApiSubject as Subject,
  ApiSubjectChange as SubjectChange,
  NewApiSubject as NewSubject,
  SubjectCalls,
  SubjectQuery,
} from './client/subjects.js'
export type { TransportOptions } from './client/transport.js'
export type { ApiChore as Chore, ApiChorePass as ChorePass, UpkeepCalls } from './client/upkeep.js'
export type {
  ApiDelivery as Delivery,
  ApiWebhook as Webhook,
  NewApiWebhook as NewWebhook,
  WebhookCalls,
} from './client/webhooks.js'
export { type ErrorCode, HoldfastError } from './domain/errors/errors.js'
export type { WaitOptions } from './handles/awaited-ends.js'
export { JobCanceled, JobFailed } from './handles/job-ended.js'
