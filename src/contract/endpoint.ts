/**
 * A route of the server, said once: what it is called, who may call it, what it takes and what it answers. Validation, types,
 * the OpenAPI document, the client and the tests that go through every route all come from here. The name of an endpoint is its key
 * in the contract it stands in.
 */
import type { z } from 'zod'
import type { ErrorCode } from '../domain/errors.js'

/** What a key may do. `operate` includes `read`, and `admin` includes everything. */
export const SCOPES = ['enqueue', 'work', 'read', 'operate', 'admin'] as const
export type Scope = (typeof SCOPES)[number]

export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With parameters in braces: /api/v1/jobs/{id} */
  readonly path: `/${string}`
  /** Any of them will do; null: whoever asks. */
  readonly scope: Scope | readonly Scope[] | null
  /** It concerns the whole installation, so it takes a key that acts for every tenant. */
  readonly everyTenant?: boolean
  readonly summary: string
  readonly tag: string
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly headers?: z.ZodObject
  /** Optional where the schema takes undefined. */
  readonly body?: z.ZodType
  /** By status; null: without a body. The first is the usual one. */
  readonly response: Readonly<Record<number, z.ZodType | null>>
  /** Of the answer, where it is not JSON. */
  readonly media?: readonly string[]
  /** Beside those that every call can meet. */
  readonly errors: readonly ErrorCode[]
  /** It changes something although it is a GET. */
  readonly unsafe?: boolean
  /** Goes before other calls where connections are short: a worker would lose its work over it. */
  readonly rank?: 'first'
  /** Where the body may be larger, or must be smaller, than usual. */
  readonly bodyBytesMax?: number
}

export type Contract = Readonly<Record<string, Endpoint>>

/** Keeps the types of what it is given. */
export function contract<const C extends Contract>(endpoints: C): C {
  return endpoints
}

export function isUnsafe({ method, unsafe }: Pick<Endpoint, 'method' | 'unsafe'>): boolean {
  return unsafe ?? method !== 'GET'
}

/** Whether somebody with these scopes may call it. */
export function allows({ scope }: Pick<Endpoint, 'scope'>, held: readonly Scope[]): boolean {
  if (scope === null || held.includes('admin')) return true
  const wanted = [scope].flat()
  return wanted.some((each) => held.includes(each) || (each === 'read' && held.includes('operate')))
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

/** What a handler may answer: a status of the contract with the body that belongs to it. */
export type AnswerOf<E extends Endpoint> = {
  [S in keyof E['response']]: E['response'][S] extends z.ZodType
    ? Answered<S, z.input<E['response'][S]>>
    : Answered<S, undefined>
}[keyof E['response']]

interface Answered<S, Body> {
  readonly status: S
  readonly headers?: Readonly<Record<string, string>>
  readonly body: Body | Streamed
}

/** Text or a stream in the media of the endpoint. */
type Streamed = AsyncIterable<string | Uint8Array>
