/** What a server counts and measures, for Prometheus. Of the whole installation, so it takes a key that acts for every tenant. */
import { z } from 'zod'
import { contract } from './endpoint.js'

export const metricsContract = contract({
  metrics: {
    method: 'GET',
    path: '/metrics',
    scope: 'read',
    everyTenant: true,
    tag: 'health',
    summary: 'Metrics in the text format of Prometheus',
    media: ['text/plain'],
    response: { 200: z.string() },
    errors: [],
  },
})
