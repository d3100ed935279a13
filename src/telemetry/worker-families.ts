/** The metric families of a process that works on jobs. */
import { counter, EVERYWHERE, EXTERNAL, families, gauge, histogram } from './family.js'

const WORK_SECONDS = [0.1, 0.3, 0.5, 0.7, 1, 3, 5, 7, 10]
const CLOUD_SECONDS = [0.1, 0.3, 0.5, 1, 3, 5, 7, 10]
const LATENCY_MS = [
  10, 30, 50, 70, 100, 300, 500, 700, 1000, 1500, 2000, 2500, 3000, 3500, 4000, 4500, 5000, 5500, 6000, 6500,
  7000, 7500, 8000, 8500, 9000, 9500, 10000,
]
/** From a handler that does almost nothing to one that takes an hour. */
const OURS_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 3600]

export const WORKER_FAMILIES = families({
  job_processing_duration_seconds: histogram(
    'Duration of job processing',
    ['job_type', 'status'],
    WORK_SECONDS,
  ),
  job_queue_latency_milliseconds: histogram(
    'How long new jobs waited in their queue before they started',
    ['job_type'],
    LATENCY_MS,
  ),
  job_processed_total: counter('Jobs processed', ['job_type', 'status']),
  image_processing_errors_total: counter('Image processing errors', ['error_type']),
  s3_operation_duration_seconds: histogram(
    'Duration of S3 operations',
    ['operation', 'bucket'],
    CLOUD_SECONDS,
  ),
  s3_operation_errors_total: counter('S3 operation errors', ['operation', 'bucket', 'error_code']),
  db_query_duration_seconds: histogram('Duration of DB queries', ['query_type'], WORK_SECONDS),
  db_query_errors_total: counter('DB query errors', ['query_type', 'error_type']),
  cloudfront_operation_duration_seconds: histogram(
    'Duration of CloudFront operations',
    ['operation'],
    CLOUD_SECONDS,
  ),
  cloudfront_operation_errors_total: counter('CloudFront operation errors', ['operation', 'error_code']),
  job_active_count: gauge('Jobs that run in this process', ['job_type']),
  job_queue_depth: gauge('Claimable jobs in the queues of this worker, among those examined', ['job_type']),
  ...EXTERNAL,
  ...EVERYWHERE,
  holdfast_job_attempts_total: counter(
    'Attempts that ended in this process by outcome: succeeded, failed, canceled, snoozed, released, parked, or lost',
    ['tenant', 'queue', 'kind', 'outcome'],
  ),
  holdfast_job_run_duration_seconds: histogram(
    'How long handlers ran',
    ['tenant', 'queue', 'kind'],
    OURS_SECONDS,
  ),
  holdfast_job_wait_duration_seconds: histogram(
    'How long new jobs waited before they started',
    ['tenant', 'queue', 'kind'],
    OURS_SECONDS,
  ),
  holdfast_worker_slots: gauge('Slots for jobs in this process, busy or free', ['state']),
  holdfast_worker_leases_lost_total: counter('Leases that workers of this process have lost', []),
  holdfast_sqs_messages_total: counter(
    'Messages of SQS in this process by outcome (docs/sqs.md); some counts are part of others, so do not add them up',
    ['trigger', 'reason'],
  ),
})
