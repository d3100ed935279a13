/** What a server does by itself, and how that goes. */
import type { AnswerAt, EndpointAt, Received } from './api.js'
import { type Calls, received } from './calls.js'
import type { Why } from './steering.js'

export type RemoteChore = Received<AnswerAt<EndpointAt<'GET', '/api/v1/upkeep'>>['chores'][number]>
export type RemoteChorePass = Received<AnswerAt<EndpointAt<'POST', '/api/v1/upkeep/{name}/run'>>>

export class Upkeep {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  async list(): Promise<RemoteChore[]> {
    return (await this.#calls.call('GET', '/api/v1/upkeep', {})).chores.map((chore) => received(chore))
  }

  /** One pass of a chore, now. */
  async run(name: string, why: Why = {}): Promise<RemoteChorePass> {
    const sent = { params: { name }, body: why }
    return received(await this.#calls.call('POST', '/api/v1/upkeep/{name}/run', sent))
  }
}
