/** `holdfast/embedded`: a real Postgres from npm, started, found, adopted and stopped for you. */
export {
  EmbeddedError,
  EmbeddedFailed,
  EmbeddedInUse,
  EmbeddedMissing,
  EmbeddedUnavailable,
} from './embedded/errors.js'
export { type FoundEmbedded, findEmbedded } from './embedded/find.js'
export { lockFolder } from './embedded/lock.js'
export { type EmbeddedOptions, type EmbeddedPostgres, startEmbedded } from './embedded/start.js'
