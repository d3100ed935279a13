/** `holdfast/store`: the engine without a worker: every verb, drivers, migrations, roles, the doctor, and the rules it works by. */

export type { CallOptions, Database, Session } from './database/database.js'
export { type MigrationStatus, migrateUp, migrationSql, migrationStatus } from './database/migrate.js'
export { openPglite } from './database/pglite.js'
export { openPostgres } from './database/postgres.js'
export { installRoles, ROLES, type Role, roleName, rolesSql } from './database/roles.js'
export { type Examination, type ExamineOptions, examine } from './doctor/examine.js'
export { DOCTOR_LIMITS, type Finding } from './doctor/finding.js'
export { ERRORS } from './domain/errors/errors.js'
export { LIMITS } from './domain/limits.js'
export type { Policy } from './domain/policy.js'
export { backoffMs } from './domain/retry.js'
export type { NewSchedule, ScheduleFields } from './domain/schedule/definition.js'
export type { ScheduleReason } from './domain/schedule/explain.js'
export { type Outcome, STATES, type State } from './domain/states/states.js'
export { decide } from './domain/states/transition.js'
export { PRESETS, type PresetName } from './presets/presets.js'
export { presetReason, stateWord } from './presets/state-words.js'
export type { Alert, AlertEvent, AlertRule, AlertRuleOptions } from './store/alerts/alerts.js'
export type { Delivery, Webhook } from './store/alerts/webhooks.js'
export type { ClaimOptions } from './store/claim/claim-batch.js'
export type { JobClaimer } from './store/claim/job-claimer.js'
export type { NewJob } from './store/enqueue/new-job.js'
export type { CallerTransaction, Enqueued } from './store/enqueue/producer.js'
export type { ItemFormat } from './store/export-items.js'
export type { Attribution, CancelOptions } from './store/job-commands.js'
export type { Job } from './store/job-reads.js'
export type { Queue, QueueOptions } from './store/queues.js'
export type {
  Attempt,
  ClaimedJob,
  Ended,
  Ending,
  ExplainReason,
  FeedEvent,
  Fence,
  Item,
  JobAttempt,
  Progress,
  Renewed,
  RenewOptions,
  Report,
  Reported,
} from './store/rows.js'
export type { Firing, Schedule } from './store/schedules/schedule-reads.js'
export type { Fired, FireOptions } from './store/schedules/scheduler.js'
export type { ScheduleAttribution, ScheduleRun } from './store/schedules/schedules.js'
export { openStore, type Store, type StoreOptions, storeOn } from './store/store.js'
