/** The metric families of the HTTP server: its calls, and the state of queues and workers from the database. */
import { CALL_SECONDS, counter, EVERYWHERE, EXTERNAL, families, gauge, histogram } from './family.js'

const UPLOAD_BYTES = [1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288, 1048576]

export const SERVER_FAMILIES = families({
  http_request_duration_seconds: histogram(
    'Duration of HTTP requests',
    ['method', 'route', 'status_code'],
    CALL_SECONDS,
  ),
  http_requests_total: counter('HTTP requests', ['method', 'route', 'status_code']),
  upload_size_bytes: histogram(
    'Upload size in bytes: of every request with a body',
    ['mime_type'],
    UPLOAD_BYTES,
  ),
  db_query_duration_seconds: histogram('Duration of DB queries', ['operation', 'table'], CALL_SECONDS),
  db_query_error_total: counter('DB query errors', ['operation', 'table', 'error_code']),
  ...EXTERNAL,
  ...EVERYWHERE,
  holdfast_jobs: gauge('Live jobs by state, counted up to holdfast_jobs_counted_max', [
    'tenant',
    'queue',
    'state',
  ]),
  holdfast_jobs_counted_max: gauge(
    'Where the counts of holdfast_jobs stop: a value that has reached it means "at least"',
    [],
  ),
  holdfast_queue_oldest_ready_timestamp_seconds: gauge(
    'When the oldest claimable job became claimable; absent while there is none',
    ['tenant', 'queue'],
  ),
  holdfast_queue_paused: gauge('1 while the queue is paused', ['tenant', 'queue']),
  holdfast_queue_blocked_since_timestamp_seconds: gauge(
    'When the oldest job that needs an operator (paused, errored, parked) stopped; absent while there is none',
    ['tenant', 'queue'],
  ),
  holdfast_workers: gauge('Workers by state: working, draining, or silent (no recent heartbeat)', [
    'tenant',
    'state',
  ]),
  holdfast_unserved_jobs: gauge('Queued jobs of a kind that no live worker knows, among those examined', [
    'tenant',
    'queue',
    'kind',
  ]),
  holdfast_leases_expired_total: counter(
    'Attempts whose lease ran out, in the whole installation, since this server started',
    ['tenant', 'queue'],
  ),
  holdfast_outbox_jobs: gauge(
    'Jobs in the outbox of an external trigger (SQS): unsent, or sent and not claimed since',
    ['tenant', 'queue', 'state'],
  ),
  holdfast_outbox_oldest_timestamp_seconds: gauge(
    'When the oldest unsent job of the outbox was added; absent while there is none',
    ['tenant', 'queue'],
  ),
  holdfast_schedule_last_run_timestamp_seconds: gauge(
    'When the schedule last enqueued a job or found a live one of its subject; absent until then',
    ['tenant', 'schedule'],
  ),
  holdfast_alerts: gauge('Alerts that are pending or firing', ['tenant', 'rule', 'state']),
  holdfast_alert_value: gauge('The value that each alert rule measures, in its own unit (docs/alerts.md)', [
    'tenant',
    'rule',
    'subject',
  ]),
  holdfast_xmin_holder_age_seconds: gauge(
    'Age of the oldest open transaction, which keeps vacuum from removing rows, by who holds it',
    ['holder'],
  ),
  holdfast_queue_depth: gauge('Jobs that could be claimed now; each priority is counted up to 10,000', [
    'tenant',
    'queue',
  ]),
  holdfast_queue_failed_ratio: gauge(
    'Jobs that failed, of those that succeeded or failed in the window (15m, 1h, 24h); absent where none did',
    ['tenant', 'queue', 'window'],
  ),
  holdfast_queue_retry_success_ratio: gauge(
    'Jobs that succeeded after a failure, of those that ended after a failure in the window; absent where none did',
    ['tenant', 'queue', 'window'],
  ),
  holdfast_queue_wait_average_seconds: gauge(
    'Average wait of jobs until their first claim, over the window; absent where none was claimed',
    ['tenant', 'queue', 'window'],
  ),
  holdfast_queue_priority_jobs: gauge(
    'Jobs that could be claimed now by priority, in bands of ten (0-9 … 90-100)',
    ['tenant', 'queue', 'priority'],
  ),
})
