/** Holdfast, the library. What most programs need comes first; below it, by topic, what they may need one day. */
export { defineJob } from './app/define-job.js'
export type { JobHandle } from './app/handle.js'
export { type App, type HoldfastOptions, holdfast } from './app/holdfast.js'
export { ERRORS, type ErrorCode, HoldfastError, LeaseLost } from './domain/errors.js'
export { JobCanceled, JobFailed } from './domain/job-ended.js'
export { Cancel, GiveUp, JobAborted, Snooze } from './worker/outcomes.js'

// Defining, enqueuing and running jobs

export { type Catalogue, catalogue, WORK_KINDS, type WorkKind } from './app/catalogue.js'
export type { JobContext } from './app/context.js'
export type { QueueDeclaration } from './app/declare-queues.js'
export { defineSchedule, type ScheduleDeclaration } from './app/declare-schedules.js'
export type { Handler, InputOf, Job as DefinedJob, OutputOf, ResultOf } from './app/define-job.js'
export type { EnqueueManyOptions, EnqueueOptions } from './app/enqueue.js'
export { type RemoteWorkOptions, work } from './app/remote-work.js'
export type { StandardSchema } from './app/standard-schema.js'
export type { Transaction } from './app/transaction.js'
export type { DrainOptions, WorkGroup, Working, WorkOptions } from './app/work.js'
export type { AsJson } from './domain/as-json.js'
export type { WaitOptions } from './domain/awaited-ends.js'
export type { JsonInput } from './domain/json-input.js'
export type { ScaleDecision } from './domain/port.js'
export type { JobLogger } from './worker/handlers.js'
export type { AbortCode } from './worker/outcomes.js'
export type { Drained, EndedAttempt, WorkerLog, WorkerStats } from './worker/worker-options.js'

// Configuration, as the command line reads it

export { webhookOptionsOf, workOptionsOf } from './app/configured.js'
export { ConfigError } from './config/error.js'
export type { KeyName } from './config/keys.js'
export { type Config, type ConfigOptions, loadConfig } from './config/resolve.js'

// Alerts, and whom they are told

export type { WebhookOptions } from './webhooks/addresses.js'
export type { NewWebhook, WebhookDesk } from './webhooks/desk.js'
export { verifyWebhook } from './webhooks/signature.js'

// The store: every verb of the engine

export type { Alert, AlertEvent, AlertRuleNow, AlertRuleOptions } from './store/alerts.js'
export type { CallOptions, Database, Session } from './store/database.js'
export { type Examination, type ExamineOptions, examine } from './store/doctor/examine.js'
export { DOCTOR_LIMITS, type Finding } from './store/doctor/finding.js'
export type { ItemFormat } from './store/export-items.js'
export { HintedClaims } from './store/full-pass.js'
export { Hints } from './store/hints.js'
export { type MigrationStatus, migrateUp, migrationSql, migrationStatus } from './store/migrate.js'
export type { NewJob } from './store/new-job.js'
export type { Act } from './store/operate.js'
export { openPglite } from './store/pglite.js'
export { openPostgres } from './store/postgres.js'
export type { CallerTransaction, Enqueued } from './store/produce.js'
export type { Queue, QueueOptions } from './store/queues.js'
export type { Job } from './store/read.js'
export { installRoles, ROLES, type Role, roleName, rolesSql } from './store/roles.js'
export type {
  Attempt,
  ClaimedJob,
  Ended,
  Ending,
  FeedEvent,
  Fence,
  Item,
  JobAttempt,
  Progress,
  Reason,
  Renewed,
  RenewOptions,
  Report,
  Reported,
} from './store/rows.js'
export type { Firing, Schedule } from './store/schedule-reads.js'
export type { Fired, FireOptions } from './store/scheduler.js'
export type { Ran, ScheduleAct } from './store/schedules.js'
export { openStore, type Store, type StoreOptions, storeOn } from './store/store.js'
export { Turns } from './store/turns.js'
export type { Delivery, Webhook } from './store/webhooks.js'
export type { ClaimOptions } from './store/work.js'

// The rules, as the database has them

export { LIMITS } from './domain/limits.js'
export { type Policy, PRESETS } from './domain/policy.js'
export { PRIORITIES } from './domain/priorities.js'
export { backoffMs } from './domain/retry.js'
export type { NewSchedule, ScheduleFields } from './domain/schedule/definition.js'
export type { ScheduleReason } from './domain/schedule/explain.js'
export { type Outcome, STATES, type State } from './domain/states.js'
export { decide } from './domain/transition.js'
export { type PresetName, wordFor } from './domain/words.js'
