/** Metrics for Prometheus. They cover all tenants, so they need a key for all tenants. */
import { z } from 'zod'
import { contract } from '../endpoint.js'

export const metricsContract = contract({
  metrics: {
    method: 'GET',
    path: '/metrics',
    scope: 'read',
    everyTenant: true,
    tag: 'health',
    summary: 'Metrics in the text format of Prometheus.',
    media: ['text/plain'],
    response: { 200: z.string() },
    errors: [],
  },
})
