/** A client of a Holdfast server, for every program that has `fetch`: a service without a database, an edge function, a browser. */
export type {
  AlertFilter,
  AlertRuleChange,
  Alerts,
  RemoteAlert,
  RemoteAlertEvent,
  RemoteAlertRule,
  Silence,
} from './client/alerts.js'
export type { Paging } from './client/calls.js'
export {
  Client,
  type ClientOptions,
  createClient,
  type JobFilter,
  type JobPage,
  type RemoteEnqueueManyOptions,
  type RemoteEnqueueOptions,
  type RemoteJobExtras,
} from './client/client.js'
export type { Definitions, JobDefinition } from './client/definitions.js'
export type {
  Queues,
  RemoteCountedQueue,
  RemotePolicy,
  RemoteQueue,
  RemoteQueueStats,
  RemoteTarget,
} from './client/queues.js'
export type { RemoteJob, RemoteRow } from './client/remote-job.js'
export type {
  NewRemoteSchedule,
  RemoteFiring,
  RemoteMaintenance,
  RemoteSchedule,
  RemoteScheduleChange,
  RemoteScheduleReason,
  Schedules,
} from './client/schedules.js'
export type { RemoteSetting, Settings } from './client/settings.js'
export type { Jobs, RemoteWorker, Why, Workers } from './client/steering.js'
export type {
  NewRemoteSubject,
  RemoteSubject,
  RemoteSubjectChange,
  SubjectFilter,
  Subjects,
} from './client/subjects.js'
export type { TransportOptions } from './client/transport.js'
export type { RemoteChore, RemoteChorePass, Upkeep } from './client/upkeep.js'
export type { NewRemoteWebhook, RemoteDelivery, RemoteWebhook, Webhooks } from './client/webhooks.js'
export type { WaitOptions } from './domain/awaited-ends.js'
export { type ErrorCode, HoldfastError } from './domain/errors.js'
export { JobCanceled, JobFailed } from './domain/job-ended.js'
