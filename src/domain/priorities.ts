/** The advised priorities, by who asked for a job. Any number from 0 to 100 will do; these keep programs that share a queue in step. */
export const PRIORITIES = {
  /** A person waits for it. */
  user: 60,
  /** A schedule made it. */
  scheduled: 20,
  /** It can wait: discovery, clean-up, backfills. */
  background: 0,
} as const
