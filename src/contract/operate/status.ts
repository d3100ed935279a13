/** The status page. The page authenticates with HTTP basic, as browsers do, so its route has no scope. */
import { z } from 'zod'
import { contract } from '../endpoint.js'

const page = {
  method: 'GET',
  scope: null,
  tag: 'status',
  media: ['text/html'],
  errors: [],
} as const

const text = z.string()

export const statusContract = contract({
  status: {
    ...page,
    path: '/status',
    summary:
      'Status page. If keys exist, it needs one with the scope read, as the password of HTTP basic authentication.',
    response: { 200: text, 401: text, 403: text, 421: text, 500: text, 503: text, 504: text },
  },
  statusStyle: {
    ...page,
    path: '/status.css',
    summary: 'Style sheet of the status page.',
    media: ['text/css'],
    response: { 200: text },
  },
})
