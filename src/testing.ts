/**
 * `holdfast/testing`: for tests of programs that use Holdfast. A database per test, and a clock that the test
 * moves.
 */

export { type Catalogue, catalogue, WORK_KINDS, type WorkKind } from './app/catalogue.js'
export {
  advance,
  assertEnqueued,
  type EnqueuedJob,
  enqueued,
  type FreshApp,
  freshApp,
  runUntilIdle,
} from './app/fresh-app.js'
export { type PinnedClock, pinClock } from './database/clock.js'
export { type FreshStore, freshStore } from './store/fresh-store.js'
