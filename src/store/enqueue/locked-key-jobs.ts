/** Jobs whose key another transaction has locked. Jobs with the same key wait together and are sent again until they are created or their deadline passes. */
import { deadline, HELD, type LockWaits, type Patience, stillHeld } from '../../database/lock-waits.js'
import type { WrittenJob } from './new-job.js'

type Send<Answer> = (
  tenant: string,
  jobs: WrittenJob[],
  patience: Patience,
) => Promise<(Answer | Error | typeof HELD)[]>

interface LockedJob<Answer> {
  readonly job: WrittenJob
  readonly until: number
  resolve(answer: Answer | Error): void
}

export class LockedKeyJobs<Answer> {
  readonly #waits: LockWaits
  readonly #send: Send<Answer>
  readonly #lines = new Map<string, LockedJob<Answer>[]>()

  constructor(waits: LockWaits, send: Send<Answer>) {
    this.#waits = waits
    this.#send = send
  }

  /** Whether other jobs already wait for the same key. */
  has(tenant: string, job: WrittenJob): boolean {
    return this.#lines.size > 0 && job.key !== undefined && this.#lines.has(lineOf(tenant, job))
  }

  add(tenant: string, job: WrittenJob): Promise<Answer | Error> {
    return new Promise((resolve) => {
      const name = lineOf(tenant, job)
      const line = this.#lines.get(name)
      const waiting = { job, until: deadline(), resolve }
      if (line !== undefined) return void line.push(waiting)
      this.#lines.set(name, [waiting])
      void this.#run(name, tenant)
    })
  }

  async #run(name: string, tenant: string): Promise<void> {
    const line = this.#lines.get(name) as LockedJob<Answer>[]
    while (line.length > 0) await this.#once(line, tenant)
    this.#lines.delete(name)
  }

  async #once(line: LockedJob<Answer>[], tenant: string): Promise<void> {
    // In the order of arrival, so the first has the least time left.
    const until = line[0]?.until as number
    let sent: LockedJob<Answer>[] = []
    try {
      const answers = await this.#waits.turn(until, (patience) => {
        sent = line.slice(0, BATCH_MAX)
        return this.#send(
          tenant,
          sent.map(({ job }) => job),
          patience,
        )
      })
      sent.forEach((each, index) => {
        const answer = answers[index] ?? new Error('the database returned no answer for this job')
        if (answer !== HELD) settle(line, each, answer)
      })
    } catch (error) {
      for (const each of sent) settle(line, each, error as Error)
    }
    for (const each of line.filter((one) => one.until <= performance.now())) settle(line, each, stillHeld())
  }
}

const BATCH_MAX = 1_000

function settle<Answer>(line: LockedJob<Answer>[], each: LockedJob<Answer>, answer: Answer | Error): void {
  line.splice(line.indexOf(each), 1)
  each.resolve(answer)
}

function lineOf(tenant: string, { queue, key, byKind }: WrittenJob): string {
  return JSON.stringify([tenant, queue, key ?? null, byKind])
}
