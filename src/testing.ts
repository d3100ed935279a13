/** For tests of programs that use Holdfast: a database of your own for each test, and a clock that stands still. */

export {
  advance,
  assertEnqueued,
  type EnqueuedJob,
  enqueued,
  type FreshApp,
  freshApp,
  runUntilIdle,
} from './app/fresh-app.js'
export { type PinnedClock, pinClock } from './store/clock.js'
export { type FreshStore, freshStore } from './store/fresh.js'
