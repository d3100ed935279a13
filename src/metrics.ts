/** Metrics for Prometheus, as a part of your own program: docs/metrics.md. */
import { PACKAGE_VERSION } from './database/package.js'
import { ServerMetrics } from './telemetry/server-metrics.js'
import { WorkerMetrics } from './telemetry/worker-metrics.js'

export { LABEL_VALUES_MAX, SERIES_MAX } from './telemetry/label-values.js'
export { type ListeningMetrics, listenMetrics, type MetricsAddress } from './telemetry/listen.js'
export type { ServerMetrics, WorkerMetrics }

/** For `app.work({ metrics })`: one for a process, whatever works in it. */
export function workerMetrics(): WorkerMetrics {
  return new WorkerMetrics({ version: PACKAGE_VERSION })
}

/** For `buildServer(store, { metrics })`, where your own routes measure the calls they make. */
export function serverMetrics(): ServerMetrics {
  return new ServerMetrics({ version: PACKAGE_VERSION })
}
