/** Health checks. They need no key and reveal nothing else. */
import { z } from 'zod'
import { contract } from '../endpoint.js'

const fine = z.object({ status: z.literal('ok') })

const NOT_READY = [
  'unavailable',
  'deadline_exceeded',
  'schema_missing',
  'schema_ahead',
  'schema_behind',
  'database_moved',
  'move_unfinished',
  'draining',
] as const

export const healthContract = contract({
  livez: {
    method: 'GET',
    path: '/livez',
    scope: null,
    tag: 'health',
    summary: 'Check that the process answers.',
    response: { 200: fine },
    errors: [],
  },
  readyz: {
    method: 'GET',
    path: '/readyz',
    scope: null,
    tag: 'health',
    summary: 'Check that the database answers, its schema is supported, and the server is not stopping.',
    response: { 200: fine },
    errors: NOT_READY,
  },
  healthz: {
    method: 'GET',
    path: '/healthz',
    scope: null,
    tag: 'health',
    summary: 'Same as readyz.',
    response: { 200: fine },
    errors: NOT_READY,
  },
})
