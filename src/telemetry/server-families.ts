/** What the HTTP server tells: the families of the document's API, and what the database knows of queues and workers. */
import { CALL_SECONDS, EVERYWHERE, EXTERNAL, families, holdfast, lifecycle } from './family.js'

const UPLOAD_BYTES = [1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288, 1048576]

export const SERVER_FAMILIES = families({
  http_request_duration_seconds: {
    type: 'histogram',
    help: 'Duration of HTTP requests',
    labels: ['method', 'route', 'status_code'],
    buckets: CALL_SECONDS,
    origin: lifecycle,
  },
  http_requests_total: {
    type: 'counter',
    help: 'HTTP requests',
    labels: ['method', 'route', 'status_code'],
    origin: lifecycle,
  },
  upload_size_bytes: {
    type: 'histogram',
    help: 'Upload size in bytes: of every request that brings a body',
    labels: ['mime_type'],
    buckets: UPLOAD_BYTES,
    origin: lifecycle,
  },
  db_query_duration_seconds: {
    type: 'histogram',
    help: 'Duration of DB queries',
    labels: ['operation', 'table'],
    buckets: CALL_SECONDS,
    origin: lifecycle,
  },
  db_query_error_total: {
    type: 'counter',
    help: 'DB query errors',
    labels: ['operation', 'table', 'error_code'],
    origin: lifecycle,
  },
  ...EXTERNAL,
  ...EVERYWHERE,
  holdfast_jobs: {
    type: 'gauge',
    help: 'Live jobs by state, counted up to holdfast_jobs_counted_max',
    labels: ['tenant', 'queue', 'state'],
    origin: holdfast,
  },
  holdfast_jobs_counted_max: {
    type: 'gauge',
    help: 'Where the counts of holdfast_jobs stop: a value that has reached it means "at least"',
    labels: [],
    origin: holdfast,
  },
  holdfast_queue_oldest_ready_timestamp_seconds: {
    type: 'gauge',
    help: 'Since when the job that has waited longest could have been claimed; absent while none waits',
    labels: ['tenant', 'queue'],
    origin: holdfast,
  },
  holdfast_queue_paused: {
    type: 'gauge',
    help: '1 while the queue is paused',
    labels: ['tenant', 'queue'],
    origin: holdfast,
  },
  holdfast_queue_blocked_since_timestamp_seconds: {
    type: 'gauge',
    help: 'Since when a job of the queue has waited for a person (paused, errored, parked); absent while none does',
    labels: ['tenant', 'queue'],
    origin: holdfast,
  },
  holdfast_workers: {
    type: 'gauge',
    help: 'Workers by state: working, draining, or silent (not heard of lately)',
    labels: ['tenant', 'state'],
    origin: holdfast,
  },
  holdfast_unserved_jobs: {
    type: 'gauge',
    help: 'Queued jobs of a kind that no live worker knows, among those looked at',
    labels: ['tenant', 'queue', 'kind'],
    origin: holdfast,
  },
  holdfast_leases_expired_total: {
    type: 'counter',
    help: 'Attempts whose lease ran out, in the whole installation, since this server started',
    labels: ['tenant', 'queue'],
    origin: holdfast,
  },
  holdfast_schedule_last_run_timestamp_seconds: {
    type: 'gauge',
    help: 'When the schedule last made a job, or its subject had a live one already; absent until then',
    labels: ['tenant', 'schedule'],
    origin: holdfast,
  },
  holdfast_alerts: {
    type: 'gauge',
    help: 'Alerts of Holdfast itself that are pending or firing',
    labels: ['tenant', 'rule', 'state'],
    origin: holdfast,
  },
  holdfast_alert_value: {
    type: 'gauge',
    help: 'What each rule of the alerts looks at, wrong or not, in its own unit (docs/alerts.md)',
    labels: ['tenant', 'rule', 'subject'],
    origin: holdfast,
  },
  holdfast_xmin_holder_age_seconds: {
    type: 'gauge',
    help: 'How long the oldest open transaction has kept the database from cleaning up, with the name of who holds it',
    labels: ['holder'],
    origin: holdfast,
  },
  holdfast_queue_depth: {
    type: 'gauge',
    help: 'Jobs that could be claimed now; each priority is counted up to 10,000',
    labels: ['tenant', 'queue'],
    origin: holdfast,
  },
  holdfast_queue_failed_ratio: {
    type: 'gauge',
    help: 'Jobs that failed, of those that succeeded or failed in the window (15m, 1h, 24h); absent where none did',
    labels: ['tenant', 'queue', 'window'],
    origin: holdfast,
  },
  holdfast_queue_retry_success_ratio: {
    type: 'gauge',
    help: 'Jobs that succeeded after a failure, of those that ended after a failure in the window; absent where none did',
    labels: ['tenant', 'queue', 'window'],
    origin: holdfast,
  },
  holdfast_queue_wait_average_seconds: {
    type: 'gauge',
    help: 'How long jobs waited to be claimed first, on average over the window; absent where none was',
    labels: ['tenant', 'queue', 'window'],
    origin: holdfast,
  },
  holdfast_queue_priority_jobs: {
    type: 'gauge',
    help: 'Jobs that could be claimed now by priority, in bands of ten (0-9 … 90-100)',
    labels: ['tenant', 'queue', 'priority'],
    origin: holdfast,
  },
})
