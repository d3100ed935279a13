/** One page for a browser. It asks for its key as browsers do, so its route lets everybody in and the page itself does not. */
import { z } from 'zod'
import { contract } from './endpoint.js'

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
    path: '/',
    summary:
      'What is going on, for people. Where keys exist it takes one with the scope read, as the password of HTTP basic authentication',
    response: { 200: text, 401: text, 403: text, 421: text, 500: text, 503: text, 504: text },
  },
  statusStyle: {
    ...page,
    path: '/status.css',
    summary: 'How that page looks',
    media: ['text/css'],
    response: { 200: text },
  },
})
