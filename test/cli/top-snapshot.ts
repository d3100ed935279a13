/** A snapshot of a busy shop for the tests of `holdfast top`, at a fixed time. */
import type { TopSnapshot } from '../../src/cli/top/snapshot.js'

const NOW = new Date('2026-11-18T07:00:00Z')
export const before = (seconds: number) => new Date(NOW.getTime() - seconds * 1000)
const counted = (count: number, capped = false) => ({ count, capped })

const queue = {
  ...{ queued: 0, running: 0, delayed: 0, waiting: 0, blocked: 0, capped: [] },
  ...{ oldestReadyAt: null, perMinute: 0, failedRate: null, workers: 1 },
  ...{ pausedAt: null, pausedBy: null, pauseReason: null },
}

export const worker = {
  ...{ worker: 'web-1', tenant: 'default', host: 'web', pid: 1, version: '0.1.0', appVersion: 'v7' },
  ...{ kinds: ['welcome'], queues: ['mail'], slots: 8, busy: 4, lagMs: 3, draining: false },
  ...{ drainRequestedAt: null, drainRequestedBy: null, drainReason: null },
  ...{ startedAt: before(900), heartbeatAt: before(4), alive: true, leaseExpiresAt: null, leases: 4 },
}

export const SNAPSHOT: TopSnapshot = {
  at: NOW,
  tenant: 'default',
  problems: [
    {
      id: 'blocked_target:sync:customer:1',
      type: 'blocked_target',
      severity: 'critical',
      text: 'Target customer:1 is blocked by job 42 for 3 min: “token limit exceeded”.',
      next: '7 jobs wait behind it until it is resumed, skipped or canceled.',
      since: before(180),
      actions: [
        {
          type: 'call',
          label: 'Resume',
          method: 'POST',
          path: '/api/v1/jobs/42/resume',
          body: null,
          scope: 'operate',
        },
        { type: 'open', label: 'Open job', page: 'job', params: { id: '42' } },
      ],
    },
    {
      id: 'paused_queue:mail',
      type: 'paused_queue',
      severity: 'warning',
      text: 'The queue mail is paused by ada since 06:50 UTC, and 12 jobs wait.',
      next: 'No job of it starts until the queue is resumed.',
      since: before(600),
      actions: [{ type: 'open', label: 'Open queue', page: 'queues', params: { queue: 'mail' } }],
    },
  ],
  problemsCapped: false,
  flow: {
    now: NOW,
    countedTo: NOW,
    places: {
      ...{ delayed: counted(3), ready: counted(1000, true), running: counted(4), waiting: counted(7) },
      ...{ blocked: counted(1), paused: counted(0), parked: counted(0), pending: counted(0) },
    },
    ended: { succeeded: 12_345, failed: 6, canceled: 1 },
    perMinute: { enqueued: 12, started: 12, ended: 11.84, succeeded: 11, failed: 0.4, attempts_failed: 2 },
    ...{ slots: 8, busy: 4, oldestReadyAt: before(95), nextDueAt: null },
    counts: {
      ...{ jobs: counted(15), blocked_targets: counted(1), queues: 2, kinds: 2, schedules: 0 },
      ...{ late_schedules: 0, workers: 1, firing_alerts: 1, error_groups: 1 },
    },
  },
  queues: [
    {
      ...queue,
      ...{ name: 'mail', queued: 12, oldestReadyAt: before(95), running: 4, delayed: 3, perMinute: 11.8 },
      ...{
        failedRate: 0.25,
        workers: 2,
        pausedAt: before(600),
        pausedBy: 'ada',
        pauseReason: 'provider down',
      },
    },
    { ...queue, name: 'sync', queued: 1000, capped: ['queued'], waiting: 7, blocked: 1, workers: 0 },
  ],
  workers: [worker],
  targets: [
    {
      ...{ queue: 'sync', target: 'customer:1', jobId: 42, kind: 'pull', state: 'errored', status: 'ERROR' },
      ...{
        reason: null,
        lastError: 'token limit exceeded',
        since: before(180),
        blockedMs: 180_000,
        behind: 7,
      },
    },
  ],
  alerts: [],
}
