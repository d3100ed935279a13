/** Handlers for monitoring: health checks, metrics, the doctor, statistics of queues, workers. */

import { toWire } from '../../contract/case.js'
import { doctorContract } from '../../contract/operate/doctor.js'
import { healthContract } from '../../contract/operate/health.js'
import { metricsContract } from '../../contract/operate/metrics.js'
import { statsContract } from '../../contract/operate/stats.js'
import { workersContract } from '../../contract/work/workers.js'
import { checkSchema } from '../../database/migrate.js'
import { examine } from '../../doctor/examine.js'
import { holdfastError } from '../../domain/errors/errors.js'
import { given } from '../../json/given.js'
import { COUNT_MAX } from '../../store/list/listing.js'
import { PRIORITY_COUNT_MAX, type QueueStats } from '../../store/stats.js'
import { type Call, routes } from '../http/route.js'

const HEALTHY = { status: 200, body: { status: 'ok' } } as const

/** Short, because a load balancer waits for the answer. */
const DATABASE_MS = 3_000

async function ready({ store, server }: Call) {
  if (server.stopping.aborted) throw holdfastError('draining')
  await store.database.query('select 1', [], { repeatable: true, deadlineMs: DATABASE_MS })
  await checkSchema(store.database, store.schema)
  return HEALTHY
}

export const healthRoutes = routes<typeof healthContract>(healthContract, {
  livez: async () => HEALTHY,
  readyz: ready,
  healthz: ready,
})

export const metricsRoutes = routes<typeof metricsContract>(metricsContract, {
  metrics: async ({ server: { metrics, facts } }) => ({
    status: 200,
    body: await metrics.text(await facts()),
    headers: { 'content-type': metrics.contentType },
  }),
})

export const doctorRoutes = routes<typeof doctorContract>(doctorContract, {
  examine: async ({ store }) => {
    const { healthy, findings, checks } = await examine(store.database, store.schema)
    return {
      status: 200,
      body: {
        healthy,
        findings: findings.map((each) => ({ ...each, data: { ...each.data } })),
        checks: [...checks],
      },
    }
  },
})

type QueueStatsView =
  (typeof statsContract)['queueMetrics']['response'][200]['_zod']['input']['queues'][number]

function statsView({ windows, oldestReadyAt, ...queue }: QueueStats): QueueStatsView {
  return {
    ...queue,
    oldest_ready_at: oldestReadyAt?.toISOString() ?? null,
    windows: Object.fromEntries(Object.entries(windows).map(([name, counts]) => [name, toWire(counts)])),
  }
}

export const statsRoutes = routes<typeof statsContract>(statsContract, {
  queueMetrics: async ({ store, tenant, query: { queue } }) => {
    // An unknown queue is an error, not an empty list.
    if (queue !== undefined) await store.queues.get(queue, { tenant })
    const queues = await store.stats.byQueue({ tenant, ...given({ queue }) })
    return {
      status: 200,
      body: {
        queues: queues.map(statsView),
        counted_max: queue === undefined ? COUNT_MAX : PRIORITY_COUNT_MAX,
      },
    }
  },
})

type WorkerView = (typeof workersContract)['getWorker']['response'][200]['_zod']['input']

export const workerRoutes = routes<typeof workersContract>(workersContract, {
  listWorkers: async ({ store, tenant, everywhere }) => {
    const workers = await store.workers.list(everywhere ? {} : { tenant })
    return { status: 200, body: { workers: workers.map((worker) => toWire(worker)) } }
  },

  getWorker: async ({ store, tenant, everywhere, params: { name } }) => {
    const { jobs, ...worker } = await store.workers.details(name, everywhere ? {} : { tenant })
    return {
      status: 200,
      body: {
        ...toWire<Omit<WorkerView, 'jobs'>>(worker),
        jobs: jobs.map((job) => toWire<WorkerView['jobs'][number]>(job)),
      },
    }
  },

  // Only in this tenant: another may have a worker of the same name.
  drainWorker: async ({ store, tenant, everywhere, act, params: { name } }) => {
    const isRequested = await store.workers.drain(name, everywhere ? act : { ...act, tenant })
    return { status: 202, body: { worker: name, requested: isRequested } }
  },
})
