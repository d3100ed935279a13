/** Who was let in, for the steps that follow. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Endpoint } from '../contract/endpoint.js'
import type { Principal } from './principal.js'

export interface LetIn {
  readonly who: Principal
  readonly tenant: string
  readonly endpoint: Endpoint
  readonly reply: FastifyReply
}

export const letIn = new WeakMap<FastifyRequest, LetIn>()

/** A call of a worker about the work it has. */
export function isOfWorker({ scope }: Pick<Endpoint, 'scope'>): boolean {
  return [scope].flat().every((each) => each === 'work')
}
