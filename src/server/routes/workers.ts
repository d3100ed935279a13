import { toWire } from '../../contract/case.js'
import { workersContract } from '../../contract/workers.js'
import { routes } from '../route.js'

export const workerRoutes = routes<typeof workersContract>(workersContract, {
  listWorkers: async ({ store, tenant, everywhere }) => {
    const workers = await store.workers.list(everywhere ? {} : { tenant })
    return { status: 200, body: { workers: workers.map((worker) => toWire(worker)) } }
  },

  // Of this tenant only: another may have a worker of the same name.
  drainWorker: async ({ store, tenant, everywhere, act, params: { name } }) => {
    const asked = await store.workers.drain(name, everywhere ? act : { ...act, tenant })
    return { status: 202, body: { worker: name, asked } }
  },
})
