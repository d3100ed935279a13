/** Holdfast, the library. */
export { ERRORS, type ErrorCode, HoldfastError, LeaseLost } from './domain/errors.js'
export { LIMITS } from './domain/limits.js'
export { type Policy, PRESETS } from './domain/policy.js'
export { backoffMs } from './domain/retry.js'
export { type Outcome, STATES, type State } from './domain/states.js'
export { decide } from './domain/transition.js'
export { type PresetName, wordFor } from './domain/words.js'
export type { CallOptions, Database, Session } from './store/database.js'
export type { ItemFormat } from './store/export-items.js'
export { HintedClaims } from './store/full-pass.js'
export { Hints } from './store/hints.js'
export { type MigrationStatus, migrateUp, migrationSql, migrationStatus } from './store/migrate.js'
export type { NewJob } from './store/new-job.js'
export type { Act } from './store/operate.js'
export { openPglite } from './store/pglite.js'
export { openPostgres } from './store/postgres.js'
export type { CallerTransaction, Enqueued, EnqueueOptions } from './store/produce.js'
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
  Progress,
  Reason,
  Renewed,
  Report,
  Reported,
} from './store/rows.js'
export { openStore, type Store, type StoreOptions, storeOn } from './store/store.js'
export { Turns } from './store/turns.js'
export type { ClaimOptions } from './store/work.js'
