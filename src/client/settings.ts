/** Numbers of a server that change while everything runs. */
import type { AnswerAt, EndpointAt, Received } from './api.js'
import { type Calls, received } from './calls.js'
import type { Why } from './steering.js'

export type RemoteSetting = Received<AnswerAt<EndpointAt<'GET', '/api/v1/settings/{name}'>>>

export class Settings {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  async list(): Promise<RemoteSetting[]> {
    return (await this.#calls.call('GET', '/api/v1/settings', {})).settings.map((one) => received(one))
  }

  async get(name: string): Promise<RemoteSetting> {
    return received(await this.#calls.call('GET', '/api/v1/settings/{name}', of(name)))
  }

  /** For everybody and at once. */
  async set(name: string, value: number, why: Why = {}): Promise<RemoteSetting> {
    const sent = { ...of(name), body: { value, ...why }, repeatable: true }
    return received(await this.#calls.call('PUT', '/api/v1/settings/{name}', sent))
  }

  /** Back to its default. */
  async reset(name: string, why: Why = {}): Promise<RemoteSetting> {
    const sent = { ...of(name), body: why, repeatable: true }
    return received(await this.#calls.call('DELETE', '/api/v1/settings/{name}', sent))
  }
}

const of = (name: string) => ({ params: { name } })
