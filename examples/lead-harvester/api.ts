/** The two calls that a pull worker needs, with nothing but fetch. Both may be sent again: a pull whose answer was lost costs a lease, a repeated report changes nothing. */
import { setTimeout as wait } from 'node:timers/promises'

/** Another worker has the job, or it was ended: drop it. Nothing of what was sent has been written. */
export class LeaseLost extends Error {}

/** An answer that stays the same however often the call is sent. */
export class Refused extends Error {}

export interface Pulled {
  readonly job_id: number
  readonly lease_token: string
  readonly last_cursor: { readonly page: number } | null
  readonly job: {
    readonly attempts: number
    readonly input: { readonly site: string; readonly city: string }
  }
}

export interface Reported {
  readonly status: string
  readonly done_reason: string | null
  readonly added: number
  readonly result_count: number | null
  readonly cancel_requested: boolean
}

interface Problem {
  readonly code?: string
  readonly detail?: string
}

const TRIES = 8

export class PullApi {
  readonly #url: string
  readonly #headers: Record<string, string>

  constructor(url: string, key: string | undefined) {
    this.#url = url
    this.#headers = {
      'content-type': 'application/json',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    }
  }

  /** Undefined when no job is due within the wait. */
  pull(options: { worker_id: string; lease_sec: number; wait_sec: number }, signal: AbortSignal) {
    return this.#call<Pulled>('/api/pull_job', options, signal)
  }

  async report({ job_id, lease_token }: Pulled, report: object): Promise<Reported> {
    return (await this.#call<Reported>('/api/report_results', { job_id, lease_token, ...report })) as Reported
  }

  async #call<Answer>(path: string, body: object, signal?: AbortSignal): Promise<Answer | undefined> {
    for (let tried = 0; ; tried++) {
      const answer = await this.#send(path, body, signal)
      if (answer?.ok) return answer.status === 204 ? undefined : ((await answer.json()) as Answer)
      if (answer !== undefined) await refuse(answer)
      if (tried === TRIES) throw new Refused(`${this.#url} did not answer ${TRIES} times`)
      const askedFor = Number(answer?.headers.get('retry-after') ?? Number.NaN) * 1_000
      await wait(Number.isNaN(askedFor) ? Math.min(250 * 2 ** tried, 30_000) : askedFor, undefined, {
        signal,
      })
    }
  }

  /** Undefined when the server cannot be reached. */
  async #send(path: string, body: object, signal?: AbortSignal): Promise<Response | undefined> {
    try {
      return await fetch(this.#url + path, {
        method: 'POST',
        headers: this.#headers,
        body: JSON.stringify(body),
        ...(signal === undefined ? {} : { signal }),
      })
    } catch (error) {
      if (signal?.aborted) throw error
      return undefined
    }
  }
}

/** Throws what is final; a busy or failing server is asked again. */
async function refuse(answer: Response): Promise<void> {
  const { code, detail } = (await answer.json().catch(() => ({}))) as Problem
  if (code === 'lease_lost') throw new LeaseLost(detail)
  if (answer.status < 500 && answer.status !== 408 && answer.status !== 429)
    throw new Refused(detail ?? `${answer.status}`)
}
