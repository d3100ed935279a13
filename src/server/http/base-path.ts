/**
 * The path below which the server is mounted, with a slash at both ends: `/` or `/ops/jobs/`. A proxy may remove it from requests or not;
 * both work. The header `X-Forwarded-Prefix` is used only if the server trusts its proxy, because any caller can send it.
 */
import type { FastifyRequest } from 'fastify'
import { invalidInput } from '../../domain/errors/errors.js'

const SEGMENT = /^[A-Za-z0-9_~-][A-Za-z0-9._~-]*$/
const CHARS_MAX = 200

/** With a slash at both ends; throws if it is no path of plain segments. */
export function basePathOf(path = '/'): string {
  const normal = normalised(path)
  if (normal === undefined)
    throw invalidInput('/basePath', 'must be a path like /ops/jobs, of letters, digits and . _ ~ -')
  return normal
}

function normalised(path: string): string | undefined {
  if (path.length > CHARS_MAX) return undefined
  const segments = path.split('/').filter((segment) => segment !== '')
  return segments.every((segment) => SEGMENT.test(segment))
    ? `/${segments.map((s) => `${s}/`).join('')}`
    : undefined
}

/** The request path without the prefix. */
export function withoutBase(url: string, base: string): string {
  if (base === '/') return url
  if (url.startsWith(base)) return url.slice(base.length - 1)
  const bare = base.slice(0, -1)
  if (url === bare) return '/'
  return url.startsWith(`${bare}?`) ? `/${url.slice(bare.length)}` : url
}

/** Where a browser finds this server: the configured path, behind the one that a trusted proxy reports. */
export class BasePath {
  readonly #path: string
  readonly #trustProxy: boolean

  constructor(path: string, trustProxy: boolean) {
    this.#path = path
    this.#trustProxy = trustProxy
  }

  of({ headers }: Pick<FastifyRequest, 'headers'>): string {
    if (this.#path !== '/' || !this.#trustProxy) return this.#path
    const prefix = headers['x-forwarded-prefix']
    return (typeof prefix === 'string' ? normalised(prefix) : undefined) ?? this.#path
  }

  /** The address of this server as the caller reaches it, without a slash at its end. */
  originOf(request: Pick<FastifyRequest, 'headers' | 'protocol' | 'host'>): string {
    return `${request.protocol}://${request.host}${this.of(request).slice(0, -1)}`
  }
}
