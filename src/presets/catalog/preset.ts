/**
 * Catalog: queues with one common order of creation, leases, heartbeats, short backoff, and every step recorded as it happens. It has no
 * endpoints of its own.
 */
import { DEFAULT_POLICY } from '../../domain/policy.js'
import { ended, MINUTE_MS, notRunning, type Preset, SECOND_MS } from '../preset.js'

export const catalog: Preset = {
  policy: {
    ...DEFAULT_POLICY,
    order: 'global_fifo',
    maxRetries: 3,
    retryBaseMs: SECOND_MS,
    retryCapMs: MINUTE_MS,
    serializeTargets: false,
    recordStarts: true,
  },
  stateWords: {
    ...notRunning('queued'),
    assigned: 'assigned',
    running: 'running',
    ...ended('succeeded', 'failed', 'canceled'),
  },
}
