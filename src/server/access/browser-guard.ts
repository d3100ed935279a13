/**
 * Protection against cross-site requests and DNS rebinding. A page of another site can make a browser send requests to this server, also
 * to a loopback address, without reading the response. So calls that change something are refused if the browser reports another
 * site as their origin. A server that needs no key answers only to local host names, because a site could resolve its own name to it.
 */
import type { FastifyRequest } from 'fastify'
import { holdfastError } from '../../domain/errors/errors.js'

export function refuseOtherSites({ headers, host }: FastifyRequest): void {
  const site = headers['sec-fetch-site']
  // No page can set this header. It is right also behind a proxy that changes the host, where the origin names another one.
  if (site === 'same-origin') return
  if (site !== undefined && site !== 'none') throw holdfastError('cross_site')
  if (headers.origin !== undefined && hostOf(headers.origin) !== host) throw holdfastError('cross_site')
}

export function refuseOtherHosts({ headers }: FastifyRequest): void {
  const host = headers.host ?? ''
  if (!/^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i.test(host))
    throw holdfastError('wrong_host', { host: host.slice(0, 100) })
}

function hostOf(origin: string): string | undefined {
  try {
    return new URL(origin).host
  } catch {
    return undefined
  }
}
