/** Harvest: workers in any language pull one job over HTTP, report the items they find, and stop when enough are in. */
import { DEFAULT_POLICY } from '../../domain/policy.js'
import { ended, notRunning, type Preset } from '../preset.js'

export const harvest: Preset = {
  policy: {
    ...DEFAULT_POLICY,
    order: 'fifo',
    // Null: operators of this preset change retries, backoff and lease with four settings.
    maxRetries: null,
    retryBaseMs: null,
    retryCapMs: null,
    leaseMs: null,
    jitterLow: 0,
    jitterHigh: 0.2,
    heartbeatMs: null,
    renewedBy: 'report',
    // Attempts count claims, so a lost lease is one of them; that is the only limit of losses.
    onLeaseLost: 'count',
    crashBudget: null,
    serializeTargets: false,
    itemsKey: 'phone',
  },
  stateWords: {
    ...notRunning('queued'),
    assigned: 'processing',
    running: 'processing',
    ...ended('done', 'failed', 'failed'),
  },
}
