/**
 * Client calls for the chores of a server (promote, reclaim, prune …): lists their last runs, and runs one
 * now.
 */
import type { AnswerAt, EndpointAt, ReceivedBody } from './api.js'
import { type Calls, received } from './calls.js'
import type { CommandReason } from './commands.js'

export type ApiChore = ReceivedBody<AnswerAt<EndpointAt<'GET', '/api/v1/upkeep'>>['chores'][number]>
export type ApiChorePass = ReceivedBody<AnswerAt<EndpointAt<'POST', '/api/v1/upkeep/{name}/run'>>>

export class UpkeepCalls {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  async list(): Promise<ApiChore[]> {
    return (await this.#calls.call('GET', '/api/v1/upkeep', {})).chores.map((chore) => received(chore))
  }

  /** One pass of a chore, now. */
  async run(name: string, why: CommandReason = {}): Promise<ApiChorePass> {
    const sent = { params: { name }, body: why }
    return received(await this.#calls.call('POST', '/api/v1/upkeep/{name}/run', sent))
  }
}
