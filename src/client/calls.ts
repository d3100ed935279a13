/** Calls by path, typed by the contract, with names and times converted to those of the library. */
import { fromWire } from '../contract/case.js'
import type { AnswerAt, BodyAt, EndpointAt, Method, PathOf, QueryAt, ReceivedBody } from './api.js'
import { type SentCall, Transport, type TransportOptions } from './transport.js'

type ClientCall<E> = Omit<SentCall, 'body' | 'query'> & {
  /** The values of {braces} in the path. */
  readonly params?: Readonly<Record<string, string | number>>
} & (undefined extends BodyAt<E> ? { readonly body?: BodyAt<E> } : { readonly body: BodyAt<E> }) &
  (undefined extends QueryAt<E> ? { readonly query?: QueryAt<E> } : { readonly query: QueryAt<E> })

export class Calls {
  readonly #transport: Transport

  constructor(options: TransportOptions) {
    this.#transport = new Transport(options)
  }

  async call<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    { params = {}, ...sent }: ClientCall<EndpointAt<M, P>>,
  ): Promise<AnswerAt<EndpointAt<M, P>>> {
    const address = path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(params[name] ?? ''))
    return (await this.#transport.call(method, address, sent as SentCall)) as AnswerAt<EndpointAt<M, P>>
  }
}

export function received<Row extends object>(row: Row): ReceivedBody<Row> {
  const named = fromWire<Record<string, unknown>>(row)
  for (const [name, value] of Object.entries(named)) {
    if (typeof value === 'string' && isTime.test(name)) named[name] = new Date(value)
  }
  return named as ReceivedBody<Row>
}

const isTime = /(?:At|Until|Slot)$|^(?:at|since|until|slot)$/

/** A page of a list: its size and where it begins. */
export interface Paging {
  readonly limit?: number
  /** `next` of the previous page. */
  readonly after?: string
}

export function pageOf({ limit, after }: Paging): { page_size?: number; page_token?: string } {
  return {
    ...(limit === undefined ? {} : { page_size: limit }),
    ...(after === undefined ? {} : { page_token: after }),
  }
}
