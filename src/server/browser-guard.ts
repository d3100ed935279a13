/**
 * What a browser must not be talked into. A page of another site can make a browser send requests here, with our cookie and to
 * our loopback address; it cannot read the answers, but it need not. So what changes anything is refused when the browser says that
 * another site asked for it. And a server that needs no key answers to names of this machine only, or a site could point its own
 * name here.
 */
import type { FastifyRequest } from 'fastify'
import { holdfastError } from '../domain/errors.js'

export function refuseOtherSites({ headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw holdfastError('cross_site')
  if (headers.origin !== undefined && hostOf(headers.origin) !== headers.host)
    throw holdfastError('cross_site')
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
