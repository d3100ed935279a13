/** 404 for unknown paths, with a suggestion, and 405 for methods that a path does not have. */
import type { FastifyInstance } from 'fastify'
import { holdfastError } from '../../domain/errors/errors.js'
import { nearest } from '../../domain/nearest.js'
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
    if (methods.length === 0) throw holdfastError('unknown_route', { nearest: nearestOf(path, known.keys()) })
    const allowed = [...new Set(methods)].sort().join(', ')
    reply.header('allow', allowed)
    throw holdfastError('method_not_allowed', { method: request.method, allowed })
  })
}

function patternOf(path: string): RegExp {
  const parts = path
    .split('/')
    .map((part) => (/^\{\w+\}$/.test(part) ? '[^/]+' : part.replace(/[.+*?()|[\]\\]/g, '\\$&')))
  return new RegExp(`^${parts.join('/')}$`)
}

const PREFIX = '/api/v1'

/** The nearest known path: at most one typo per segment, or without its prefix. */
function nearestOf(path: string, known: Iterable<string>): string | undefined {
  const plain = path.replace(/\/+$/, '')
  const candidates = [plain, PREFIX + plain, plain.replace(/^\/api(?=\/)/, PREFIX)].map((each) =>
    each.split('/'),
  )
  let best: { readonly typos: number; readonly suggestion: string } | undefined
  for (const each of known) {
    const segments = each.split('/')
    for (const sent of candidates) {
      if (sent.length !== segments.length || !sent.every((part, n) => isNear(part, segments[n]))) continue
      const typos = sent.filter((part, n) => part !== segments[n]).length
      const suggestion = segments.map((part, n) => (isParameter(part) ? sent[n] : part)).join('/')
      if (best === undefined || typos < best.typos) best = { typos, suggestion }
    }
  }
  return best?.suggestion
}

const isParameter = (segment: string) => segment.startsWith('{')
const isNear = (sent: string, segment = '') =>
  sent === segment || (sent !== '' && (isParameter(segment) || nearest(sent, [segment]) !== null))
