import { toWire } from '../../contract/case.js'
import { workersContract } from '../../contract/workers.js'
import { holdfastError } from '../../domain/errors.js'
import { everyTenantNeeded } from '../principal.js'
import { routes } from '../route.js'

export const workerRoutes = routes<typeof workersContract>(workersContract, {
  listWorkers: async ({ store, tenant, everywhere }) => {
    const workers = await store.workers.list(everywhere ? {} : { tenant })
    return { status: 200, body: { workers: workers.map((worker) => toWire(worker)) } }
  },

  drainWorker: async ({ store, tenant, who, act, params: { name } }) => {
    const found = await store.workers.list({ worker: name })
    const mine = found.filter((worker) => worker.tenant === tenant)
    if (who.tenant !== '*') {
      if (mine.length === 0) throw holdfastError('unknown_worker', { worker: name })
      // It would leave the others' jobs, too.
      if (mine.length < found.length) throw everyTenantNeeded()
    }
    return { status: 202, body: { worker: name, asked: await store.workers.drain(name, act) } }
  },
})
