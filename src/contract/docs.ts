/** HTTP routes that describe the API: the OpenAPI document, the reference, the list of errors. */
import { z } from 'zod'
import { contract } from './endpoint.js'

const open = { method: 'GET', scope: null, tag: 'docs', errors: [] } as const
const page = z.string()

export const docsContract = contract({
  openApi: {
    ...open,
    path: '/openapi.json',
    summary: 'This API as an OpenAPI 3.1 document.',
    response: { 200: z.record(z.string(), z.unknown()) },
  },
  docs: {
    ...open,
    path: '/docs',
    summary: 'API reference as a page.',
    media: ['text/html'],
    response: { 200: page },
  },
  problems: {
    ...open,
    path: '/docs/problems',
    summary: 'Error codes and remedies as a page.',
    media: ['text/html'],
    response: { 200: page },
  },
  docsStyle: {
    ...open,
    path: '/docs/style.css',
    summary: 'Style sheet of the API pages.',
    media: ['text/css'],
    response: { 200: page },
  },
})
