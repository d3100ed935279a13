/**
 * Client calls for subjects: things that need a job again whenever the last one is too old. Lists, adds,
 * changes and removes them.
 */
import { toWire } from '../contract/case.js'
import type { AnswerAt, BodyAt, EndpointAt, ReceivedBody } from './api.js'
import { type Calls, type Paging, pageOf, received } from './calls.js'
import type { CommandReason } from './commands.js'

type NewSubjectBody = BodyAt<EndpointAt<'POST', '/api/v1/subjects'>>
type SubjectChangeBody = BodyAt<EndpointAt<'PATCH', '/api/v1/subjects/{id}'>>

export type ApiSubject = ReceivedBody<AnswerAt<EndpointAt<'GET', '/api/v1/subjects/{id}'>>>
export type NewApiSubject = Omit<ReceivedBody<NewSubjectBody>, 'reason'>
export type ApiSubjectChange = Omit<ReceivedBody<SubjectChangeBody>, 'reason'>

export interface SubjectQuery extends Paging {
  readonly queue?: string
  readonly name?: string
  /** Only those that are due again. */
  readonly stale?: boolean
}

export class SubjectCalls {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  async list({ queue, name, stale = false, ...paging }: SubjectQuery = {}): Promise<{
    subjects: ApiSubject[]
    next: string | null
  }> {
    const query = { queue, name, ...(stale ? { stale: 'true' as const } : {}), ...pageOf(paging) }
    const { subjects, next_page_token: next } = await this.#calls.call('GET', '/api/v1/subjects', { query })
    return { subjects: subjects.map((subject) => received(subject)), next }
  }

  async get(id: number): Promise<ApiSubject> {
    return received(await this.#calls.call('GET', '/api/v1/subjects/{id}', byId(id)))
  }

  /** Registers it, or changes the job it is asked for with. */
  async add(subject: NewApiSubject, why: CommandReason = {}): Promise<ApiSubject> {
    const body = toWire<NewSubjectBody>({ ...subject, ...why })
    return received(await this.#calls.call('POST', '/api/v1/subjects', { body, repeatable: true }))
  }

  /** After how long it is due again, or whether it is asked for at all. */
  async set(id: number, change: ApiSubjectChange, why: CommandReason = {}): Promise<ApiSubject> {
    const body = toWire<SubjectChangeBody>({ ...change, ...why })
    const sent = { ...byId(id), body, repeatable: true }
    return received(await this.#calls.call('PATCH', '/api/v1/subjects/{id}', sent))
  }

  /** Its next success brings it back. */
  async remove(id: number, why: CommandReason = {}): Promise<void> {
    await this.#calls.call('DELETE', '/api/v1/subjects/{id}', { ...byId(id), body: why })
  }
}

const byId = (id: number) => ({ params: { id } })
