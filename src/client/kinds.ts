/**
 * Client calls for kinds of jobs: stores the defaults that a worker declares for its kinds, and lists those
 * of all programs.
 */
import { toWire } from '../contract/case.js'
import type { DeclaredKind } from '../domain/kinds.js'
import type { BodyAt, EndpointAt } from './api.js'
import { type Calls, received } from './calls.js'

type SentKind = BodyAt<EndpointAt<'POST', '/api/v1/work/kinds'>>

/** Answers how many differ from the last declaration. */
export async function declareKinds(calls: Calls, kinds: readonly DeclaredKind[]): Promise<number> {
  if (kinds.length === 0) return 0
  const body = { kinds: kinds.map((kind) => toWire(kind)) } as SentKind
  return (await calls.call('POST', '/api/v1/work/kinds', { body, repeatable: true })).changed
}

export async function listKinds(calls: Calls) {
  return (await calls.call('GET', '/api/v1/kinds', {})).declared.map((kind) => received(kind))
}
