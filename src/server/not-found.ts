/** Addresses that are not there, and methods that an address does not take. */
import type { FastifyInstance } from 'fastify'
import { holdfastError } from '../domain/errors.js'
import type { Route } from './route.js'

export function refuseUnknown(app: FastifyInstance, routes: readonly Route[]): void {
  const known = new Map<string, { matches: RegExp; methods: string[] }>()
  for (const { endpoint } of routes) {
    const entry = known.get(endpoint.path) ?? { matches: patternOf(endpoint.path), methods: [] }
    entry.methods.push(
      endpoint.method,
      ...(endpoint.method === 'GET' && endpoint.scope === null ? ['HEAD'] : []),
    )
    known.set(endpoint.path, entry)
  }
  app.setNotFoundHandler(async (request, reply) => {
    const path = request.url.split('?', 1)[0] ?? ''
    const methods = [...known.values()]
      .filter(({ matches }) => matches.test(path))
      .flatMap((each) => each.methods)
    if (methods.length === 0) throw holdfastError('unknown_route')
    reply.header('allow', [...new Set(methods)].sort().join(', '))
    throw holdfastError('method_not_allowed', { method: request.method })
  })
}

function patternOf(path: string): RegExp {
  const parts = path
    .split('/')
    .map((part) => (/^\{\w+\}$/.test(part) ? '[^/]+' : part.replace(/[.+*?()|[\]\\]/g, '\\$&')))
  return new RegExp(`^${parts.join('/')}$`)
}
