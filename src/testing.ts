/** For tests of programs that use Holdfast: a database of your own for each test, and a clock that stands still. */

export { type PinnedClock, pinClock } from './store/clock.js'
export { type FreshStore, freshStore } from './store/fresh.js'
