/** `client.bulk`: changes every job that a search finds, over HTTP. */
import type { BulkCommand } from '../domain/bulk.js'
import { given } from '../json/given.js'
import type { AnswerAt, EndpointAt, ReceivedBody } from './api.js'
import { type Calls, type Paging, pageOf, received } from './calls.js'
import type { CommandReason } from './commands.js'

export type ApiBulkOperation = ReceivedBody<AnswerAt<EndpointAt<'GET', '/api/v1/bulk/{id}'>>>
export type ApiBulkResult = ReceivedBody<
  AnswerAt<EndpointAt<'GET', '/api/v1/bulk/{id}/results'>>['results'][number]
>
type PreviewAnswer = AnswerAt<EndpointAt<'POST', '/api/v1/bulk/preview'>>
export type ApiBulkPreview = Omit<ReceivedBody<PreviewAnswer>, 'samples'> & {
  readonly samples: ReceivedBody<PreviewAnswer['samples'][number]>[]
}

export interface BulkQuery {
  readonly command: BulkCommand
  /** The search. */
  readonly q: string
  /** Jobs created or ended later do not count; default: now. */
  readonly until?: Date | string
  /** Of the command `priority`. */
  readonly priority?: number
  /** Of the command `boost`. */
  readonly by?: number
}

export interface BulkQueryOptions extends CommandReason {
  /** The count of the preview. */
  readonly expected?: { readonly matched: number; readonly capped: boolean }
  /** The same key again returns the same operation. Default: a new key for each call. */
  readonly idempotencyKey?: string
}

export class BulkCalls {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /** How many jobs match, how many the command would change, and a few of them. */
  async preview(query: BulkQuery): Promise<ApiBulkPreview> {
    const sent = { body: bodyOf(query), repeatable: true }
    const answer = await this.#calls.call('POST', '/api/v1/bulk/preview', sent)
    return { ...received(answer), samples: answer.samples.map((job) => received(job)) }
  }

  /** Starts an operation; the server carries it out in the background. */
  async start(
    query: BulkQuery,
    { expected, idempotencyKey = crypto.randomUUID(), ...why }: BulkQueryOptions = {},
  ): Promise<ApiBulkOperation> {
    const counted =
      expected === undefined ? undefined : { matched: expected.matched, capped: expected.capped }
    const operation = await this.#calls.call('POST', '/api/v1/bulk', {
      body: { ...bodyOf(query), ...given({ expected: counted }), ...why },
      headers: { 'idempotency-key': idempotencyKey },
      repeatable: true,
    })
    return received(operation)
  }

  async get(id: number): Promise<ApiBulkOperation> {
    return received(await this.#calls.call('GET', '/api/v1/bulk/{id}', { params: { id } }))
  }

  /** Newest first. */
  async list(paging: Paging = {}): Promise<{ operations: ApiBulkOperation[]; next: string | null }> {
    const { operations, next_page_token: next } = await this.#calls.call('GET', '/api/v1/bulk', {
      query: pageOf(paging),
    })
    return { operations: operations.map((operation) => received(operation)), next }
  }

  /** One result per job, newest job first. */
  async results(
    id: number,
    { ok, ...paging }: Paging & { readonly ok?: boolean } = {},
  ): Promise<{ results: ApiBulkResult[]; next: string | null }> {
    const only = ok === undefined ? undefined : (String(ok) as 'true' | 'false')
    const { results, next_page_token: next } = await this.#calls.call('GET', '/api/v1/bulk/{id}/results', {
      params: { id },
      query: { ...pageOf(paging), ...given({ ok: only }) },
    })
    return { results: results.map((result) => received(result)), next }
  }

  /** Ends it between two pages; jobs that it has changed stay changed. */
  async abort(id: number, why: CommandReason = {}): Promise<ApiBulkOperation> {
    return received(await this.#calls.call('POST', '/api/v1/bulk/{id}/abort', { params: { id }, body: why }))
  }
}

function bodyOf({ command, q, until, priority, by }: BulkQuery) {
  const moment = until === undefined ? undefined : new Date(until).toISOString()
  return { command, q, ...given({ until: moment, priority, by }) }
}
