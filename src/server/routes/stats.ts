import { toWire } from '../../contract/case.js'
import { statsContract } from '../../contract/stats.js'
import type { QueueStats } from '../../store/stats.js'
import { routes } from '../route.js'

type View = (typeof statsContract)['queueMetrics']['response'][200]['_zod']['input']['queues'][number]

function viewOf({ windows, ...queue }: QueueStats): View {
  return {
    ...queue,
    windows: Object.fromEntries(Object.entries(windows).map(([name, counts]) => [name, toWire(counts)])),
  }
}

export const statsRoutes = routes<typeof statsContract>(statsContract, {
  queueMetrics: async ({ store, tenant, query: { queue } }) => {
    // A misspelt name must not become an empty list that looks like an answer.
    if (queue !== undefined) await store.queues.get(queue, { tenant })
    const all = await store.stats.byQueue({ tenant })
    return {
      status: 200,
      body: { queues: all.filter((each) => queue === undefined || each.queue === queue).map(viewOf) },
    }
  },
})
