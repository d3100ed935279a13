/** Settings over HTTP, which take effect without a restart. */
import type { AnswerAt, EndpointAt, ReceivedBody } from './api.js'
import { type Calls, received } from './calls.js'
import type { CommandReason } from './commands.js'

export type ApiSetting = ReceivedBody<AnswerAt<EndpointAt<'GET', '/api/v1/settings/{name}'>>>

export class SettingCalls {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  async list(): Promise<ApiSetting[]> {
    return (await this.#calls.call('GET', '/api/v1/settings', {})).settings.map((one) => received(one))
  }

  async get(name: string): Promise<ApiSetting> {
    return received(await this.#calls.call('GET', '/api/v1/settings/{name}', byName(name)))
  }

  /** For all tenants, at once. */
  async set(name: string, value: number, why: CommandReason = {}): Promise<ApiSetting> {
    const sent = { ...byName(name), body: { value, ...why }, repeatable: true }
    return received(await this.#calls.call('PUT', '/api/v1/settings/{name}', sent))
  }

  /** Resets it to its default. */
  async reset(name: string, why: CommandReason = {}): Promise<ApiSetting> {
    const sent = { ...byName(name), body: why, repeatable: true }
    return received(await this.#calls.call('DELETE', '/api/v1/settings/{name}', sent))
  }
}

const byName = (name: string) => ({ params: { name } })
