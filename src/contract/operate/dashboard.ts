/** The dashboard: one page and its files. They hold no data, so they need no key; the calls that the page makes do. */
import { z } from 'zod'
import { contract } from '../endpoint.js'

const open = { method: 'GET', scope: null, tag: 'dashboard' } as const
const text = z.string()

export const dashboardContract = contract({
  dashboard: {
    ...open,
    path: '/',
    summary:
      'The dashboard. A caller that accepts no HTML gets a few lines of text that name the other pages.',
    // The page keeps its state in the search parameters and reads them itself.
    query: z.looseObject({
      sign_in: z
        .string()
        .max(200)
        .optional()
        .meta({ description: 'From the link that `holdfast dashboard` prints.' }),
    }),
    media: ['text/html', 'text/plain'],
    response: { 200: text, 303: null },
    errors: [],
  },
  dashboardAsset: {
    ...open,
    path: '/assets/{file}',
    summary: 'A script or style sheet of the dashboard. Its name contains a hash, so it is cached for good.',
    params: z.strictObject({
      file: z
        .string()
        .min(1)
        .max(200)
        .regex(/^[\w.-]+$/),
    }),
    media: ['text/javascript', 'text/css', 'image/svg+xml', 'font/woff2', 'application/octet-stream'],
    response: { 200: text },
    errors: ['unknown_route'],
  },
})
