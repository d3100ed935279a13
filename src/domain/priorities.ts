/**
 * Recommended priorities by the origin of a job. Any number from 0 to 100 is valid; these keep programs that
 * share a queue consistent.
 */
export const PRIORITIES = {
  /** A person waits for it. */
  user: 60,
  /** A schedule made it. */
  scheduled: 20,
  /** It can wait: discovery, clean-up, backfills. */
  background: 0,
} as const
