/** Crawl: one live job per subject, by priority, with long backoff; administered over HTTP, and enqueued by schedules. */
import { DEFAULT_POLICY } from '../../domain/policy.js'
import { ended, HOUR_MS, MINUTE_MS, notRunning, type Preset } from '../preset.js'

export const crawl: Preset = {
  policy: {
    ...DEFAULT_POLICY,
    maxRetries: 3,
    retryBaseMs: MINUTE_MS,
    retryCapMs: 24 * HOUR_MS,
    // Only reports renew the lease: a crawler that is alive but reports nothing for this long loses its job.
    leaseMs: 15 * MINUTE_MS,
    heartbeatMs: null,
    renewedBy: 'report',
    serializeTargets: false,
    dedupBy: 'subject',
  },
  stateWords: {
    ...notRunning('queued'),
    assigned: 'crawling',
    running: 'crawling',
    ...ended('success', 'failed', 'failed'),
  },
}
