/** For tests of programs that use Holdfast: a database of your own for each test, and a clock that stands still. */

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
