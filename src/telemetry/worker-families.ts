/** What a process that works on jobs tells: the families of the document's worker, and our own. */
import { EVERYWHERE, EXTERNAL, families, holdfast, lifecycle } from './family.js'

const WORK_SECONDS = [0.1, 0.3, 0.5, 0.7, 1, 3, 5, 7, 10]
const CLOUD_SECONDS = [0.1, 0.3, 0.5, 1, 3, 5, 7, 10]
const LATENCY_MS = [
  10, 30, 50, 70, 100, 300, 500, 700, 1000, 1500, 2000, 2500, 3000, 3500, 4000, 4500, 5000, 5500, 6000, 6500,
  7000, 7500, 8000, 8500, 9000, 9500, 10000,
]
/** From a handler that does nearly nothing to one that takes an hour. */
const OURS_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 3600]

export const WORKER_FAMILIES = families({
  job_processing_duration_seconds: {
    type: 'histogram',
    help: 'Duration of job processing',
    labels: ['job_type', 'status'],
    buckets: WORK_SECONDS,
    origin: lifecycle,
  },
  job_queue_latency_milliseconds: {
    type: 'histogram',
    help: 'How long new jobs waited in their queue before they began',
    labels: ['job_type'],
    buckets: LATENCY_MS,
    origin: lifecycle,
  },
  job_processed_total: {
    type: 'counter',
    help: 'Jobs processed',
    labels: ['job_type', 'status'],
    origin: lifecycle,
  },
  image_processing_errors_total: {
    type: 'counter',
    help: 'Image processing errors',
    labels: ['error_type'],
    origin: lifecycle,
  },
  s3_operation_duration_seconds: {
    type: 'histogram',
    help: 'Duration of S3 operations',
    labels: ['operation', 'bucket'],
    buckets: CLOUD_SECONDS,
    origin: lifecycle,
  },
  s3_operation_errors_total: {
    type: 'counter',
    help: 'S3 operation errors',
    labels: ['operation', 'bucket', 'error_code'],
    origin: lifecycle,
  },
  db_query_duration_seconds: {
    type: 'histogram',
    help: 'Duration of DB queries',
    labels: ['query_type'],
    buckets: WORK_SECONDS,
    origin: lifecycle,
  },
  db_query_errors_total: {
    type: 'counter',
    help: 'DB query errors',
    labels: ['query_type', 'error_type'],
    origin: lifecycle,
  },
  cloudfront_operation_duration_seconds: {
    type: 'histogram',
    help: 'Duration of CloudFront operations',
    labels: ['operation'],
    buckets: CLOUD_SECONDS,
    origin: lifecycle,
  },
  cloudfront_operation_errors_total: {
    type: 'counter',
    help: 'CloudFront operation errors',
    labels: ['operation', 'error_code'],
    origin: lifecycle,
  },
  job_active_count: {
    type: 'gauge',
    help: 'Jobs that run here now',
    labels: ['job_type'],
    origin: lifecycle,
  },
  job_queue_depth: {
    type: 'gauge',
    help: 'Claimable jobs in the queues of this worker, among those looked at',
    labels: ['job_type'],
    origin: lifecycle,
  },
  ...EXTERNAL,
  ...EVERYWHERE,
  holdfast_job_attempts_total: {
    type: 'counter',
    help: 'Attempts that ended here, by how: succeeded, failed, canceled, snoozed, released, parked, or lost',
    labels: ['tenant', 'queue', 'kind', 'outcome'],
    origin: holdfast,
  },
  holdfast_job_run_duration_seconds: {
    type: 'histogram',
    help: 'How long handlers ran',
    labels: ['tenant', 'queue', 'kind'],
    buckets: OURS_SECONDS,
    origin: holdfast,
  },
  holdfast_job_wait_duration_seconds: {
    type: 'histogram',
    help: 'How long new jobs waited before they began',
    labels: ['tenant', 'queue', 'kind'],
    buckets: OURS_SECONDS,
    origin: holdfast,
  },
  holdfast_worker_slots: {
    type: 'gauge',
    help: 'Places for jobs in this process, busy or free',
    labels: ['state'],
    origin: holdfast,
  },
  holdfast_worker_leases_lost_total: {
    type: 'counter',
    help: 'Leases that workers of this process have lost',
    labels: [],
    origin: holdfast,
  },
  holdfast_sqs_messages_total: {
    type: 'counter',
    help: 'What became of messages of SQS in this process, by the counts of docs/sqs.md; some are part of others, so do not add them up',
    labels: ['trigger', 'reason'],
    origin: holdfast,
  },
})
