/** One page for a browser. It asks for its key as browsers do, so its route lets everybody in and the page itself does not. */
import { z } from 'zod'
import { contract } from './endpoint.js'

const page = {
  method: 'GET',
  scope: null,
  tag: 'status',
  media: ['text/html'],
  errors: ['wrong_host', 'unavailable', 'deadline_exceeded'],
} as const

export const statusContract = contract({
  status: {
    ...page,
    path: '/',
    summary:
      'What is going on, for people. Where keys exist it takes one with the scope read, as the password of HTTP basic authentication',
    response: { 200: z.string(), 401: z.string(), 403: z.string() },
  },
  statusStyle: {
    ...page,
    path: '/status.css',
    summary: 'How that page looks',
    media: ['text/css'],
    response: { 200: z.string() },
    errors: [],
  },
})
