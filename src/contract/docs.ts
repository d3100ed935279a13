/** The contract about itself. */
import { z } from 'zod'
import { contract } from './endpoint.js'

const open = { method: 'GET', scope: null, tag: 'docs', errors: [] } as const
const page = z.string()

export const docsContract = contract({
  openApi: {
    ...open,
    path: '/openapi.json',
    summary: 'This contract, as OpenAPI 3.1',
    response: { 200: z.record(z.string(), z.unknown()) },
  },
  docs: {
    ...open,
    path: '/docs',
    summary: 'Every route, for people',
    media: ['text/html'],
    response: { 200: page },
  },
  problems: {
    ...open,
    path: '/docs/problems',
    summary: 'Every refusal, with what to do',
    media: ['text/html'],
    response: { 200: page },
  },
  docsStyle: {
    ...open,
    path: '/docs/style.css',
    summary: 'How these pages look',
    media: ['text/css'],
    response: { 200: page },
  },
})
