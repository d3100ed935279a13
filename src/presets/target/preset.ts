/** Target: one job at a time per target. A failed or canceled job blocks its target until an operator resumes, skips or discards it. */
import { DEFAULT_POLICY } from '../../domain/policy.js'
import { ended, notRunning, type Preset, SECOND_MS } from '../preset.js'

export const target: Preset = {
  policy: {
    ...DEFAULT_POLICY,
    order: 'fifo',
    // A failed job waits for an operator, so there is no backoff to compute.
    maxRetries: 0,
    retryBaseMs: 0,
    retryCapMs: 0,
    jitterLow: 0,
    jitterHigh: 0,
    leaseMs: 10 * SECOND_MS,
    heartbeatMs: 2 * SECOND_MS,
    onLeaseLost: 'error',
    onCancel: 'pause',
    onShutdown: 'pause',
    onError: 'block',
  },
  stateWords: {
    ...notRunning('QUEUED'),
    pending: 'PENDING',
    paused: 'PAUSED',
    errored: 'ERROR',
    assigned: 'RUNNING',
    running: 'RUNNING',
    ...ended('SUCCESS', 'CANCELED', 'CANCELED'),
  },
}
