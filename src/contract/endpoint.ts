/**
 * An endpoint of the HTTP API: path, scope, request and response schemas. Validation, types, the OpenAPI document, the client and the
 * tests of every route are derived from it. The name of an endpoint is its key in its contract.
 */
import type { z } from 'zod'
import type { ErrorCode } from '../domain/errors/errors.js'

/** Scopes of a key. `operate` includes `read`; `admin` includes all. */
export const SCOPES = ['enqueue', 'work', 'read', 'operate', 'admin'] as const
export type Scope = (typeof SCOPES)[number]

export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With parameters in braces: /api/v1/jobs/{id} */
  readonly path: `/${string}`
  /** The key needs one of them; null: no key needed. */
  readonly scope: Scope | readonly Scope[] | null
  /** Affects all tenants, so it needs a key for all tenants. */
  readonly everyTenant?: boolean
  readonly summary: string
  readonly tag: string
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly headers?: z.ZodObject
  /** Optional if the schema accepts undefined. */
  readonly body?: z.ZodType
  /** By status; null: no body. The first is the most common one. */
  readonly response: Readonly<Record<number, z.ZodType | null>>
  /** Media types of the response, if it is not JSON. */
  readonly media?: readonly string[]
  /** Besides those that every endpoint can return. */
  readonly errors: readonly ErrorCode[]
  /** Unknown query parameters are ignored with a warning: the endpoint is called by programs written for another server. */
  readonly unknownQuery?: 'ignored'
  /** Changes something although it is a GET. */
  readonly unsafe?: boolean
  /** Gets a database connection before other calls: a worker could lose its jobs otherwise. */
  readonly rank?: 'first'
  /** If it differs from the server's limit. */
  readonly bodyBytesMax?: number
}

export type Contract = Readonly<Record<string, Endpoint>>

/** Keeps literal types. */
export function contract<const C extends Contract>(endpoints: C): C {
  return endpoints
}

export function isUnsafe({ method, unsafe }: Pick<Endpoint, 'method' | 'unsafe'>): boolean {
  return unsafe ?? method !== 'GET'
}

/** Whether a key with these scopes may call it. */
export function allows({ scope }: Pick<Endpoint, 'scope'>, held: readonly Scope[]): boolean {
  if (scope === null || held.includes('admin')) return true
  const accepted = [scope].flat()
  return accepted.some((each) => held.includes(each) || (each === 'read' && held.includes('operate')))
}

type Part<E extends Endpoint, Name extends 'params' | 'query' | 'headers' | 'body'> = E extends {
  readonly [key in Name]: infer S extends z.ZodType
}
  ? z.output<S>
  : undefined

export type ParamsOf<E extends Endpoint> = Part<E, 'params'>
export type QueryOf<E extends Endpoint> = Part<E, 'query'>
export type HeadersOf<E extends Endpoint> = Part<E, 'headers'>
export type BodyOf<E extends Endpoint> = Part<E, 'body'>

/** A response of the contract: a status with its body. */
export type AnswerOf<E extends Endpoint> = {
  [S in keyof E['response']]: E['response'][S] extends z.ZodType
    ? EndpointAnswer<S, z.input<E['response'][S]>>
    : EndpointAnswer<S, undefined>
}[keyof E['response']]

interface EndpointAnswer<S, Body> {
  readonly status: S
  readonly headers?: Readonly<Record<string, string>>
  readonly body: Body | Streamed
}

/** A stream or bytes in the media type of the endpoint. */
type Streamed = AsyncIterable<string | Uint8Array> | Uint8Array
