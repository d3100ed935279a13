/** `holdfast/embedded`: a real Postgres from npm, started, found, adopted and stopped for you. */
export {
  EmbeddedError,
  EmbeddedFailed,
  EmbeddedInUse,
  EmbeddedUnavailable,
} from './store/embedded/errors.js'
export { type FoundEmbedded, findEmbedded } from './store/embedded/find.js'
export { lockFolder } from './store/embedded/lock.js'
export { type EmbeddedOptions, type EmbeddedPostgres, startEmbedded } from './store/embedded/start.js'
