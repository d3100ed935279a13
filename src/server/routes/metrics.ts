import { metricsContract } from '../../contract/metrics.js'
import { routes } from '../route.js'

export const metricsRoutes = routes<typeof metricsContract>(metricsContract, {
  metrics: async ({ server: { metrics, facts } }) => ({
    status: 200,
    body: await metrics.text(await facts()),
    headers: { 'content-type': metrics.contentType },
  }),
})
