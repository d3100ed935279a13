/** Addresses that are not there, and methods that an address does not take. */
import type { FastifyInstance } from 'fastify'
import { holdfastError } from '../domain/errors.js'
import { nearest } from '../domain/nearest.js'
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

/** The address that was probably meant: a slip in one of its words, or it was left out where they begin. */
function nearestOf(path: string, known: Iterable<string>): string | undefined {
  const plain = path.replace(/\/+$/, '')
  const tries = [plain, PREFIX + plain, plain.replace(/^\/api(?=\/)/, PREFIX)].map((each) => each.split('/'))
  let best: { readonly slips: number; readonly address: string } | undefined
  for (const each of known) {
    const words = each.split('/')
    for (const said of tries) {
      if (said.length !== words.length || !said.every((word, n) => isNear(word, words[n]))) continue
      const slips = said.filter((word, n) => word !== words[n]).length
      const address = words.map((word, n) => (isParameter(word) ? said[n] : word)).join('/')
      if (best === undefined || slips < best.slips) best = { slips, address }
    }
  }
  return best?.address
}

const isParameter = (word: string) => word.startsWith('{')
const isNear = (said: string, word = '') =>
  said === word || (said !== '' && (isParameter(word) || nearest(said, [word]) !== null))
