/** The caller of a request, set once its key was accepted. */
import type { FastifyReply } from 'fastify'
import type { Endpoint } from '../../contract/endpoint.js'
import type { Principal } from './principal.js'

export interface Admitted {
  readonly who: Principal
  readonly tenant: string
  readonly endpoint: Endpoint
  readonly reply: FastifyReply
}

/** Whether only workers call this endpoint. */
export function isForWorkers({ scope }: Pick<Endpoint, 'scope'>): boolean {
  return [scope].flat().every((each) => each === 'work')
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null before authentication, and for routes that need no key. */
    admitted: Admitted | null
    /** The body counts as one of the large ones. */
    isLarge: boolean
  }
}
