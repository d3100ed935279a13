import type { Presence } from '../../src/domain/port.js'

/** A worker as it shows itself; tests say what matters to them. */
export const PRESENCE: Presence = {
  worker: 'w',
  host: 'h',
  pid: 1,
  version: '1',
  kinds: ['k'],
  queues: ['q'],
  tenant: 'default',
  slots: 1,
  busy: 0,
  lagMs: 0,
  draining: false,
}
