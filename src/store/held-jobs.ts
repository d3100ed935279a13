/** Jobs whose key another transaction holds. Those of one key wait together, and send themselves again until they are made or too late. */
import { deadline, HELD, type LockWaits, type Patience, stillHeld } from './lock-waits.js'
import type { WrittenJob } from './new-job.js'

type Send<Answer> = (
  tenant: string,
  jobs: WrittenJob[],
  patience: Patience,
) => Promise<(Answer | Error | typeof HELD)[]>

interface Waiting<Answer> {
  readonly job: WrittenJob
  readonly until: number
  resolve(answer: Answer | Error): void
}

export class HeldJobs<Answer> {
  readonly #waits: LockWaits
  readonly #send: Send<Answer>
  readonly #lines = new Map<string, Waiting<Answer>[]>()

  constructor(waits: LockWaits, send: Send<Answer>) {
    this.#waits = waits
    this.#send = send
  }

  /** Whether others wait for the same already. */
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
    const line = this.#lines.get(name) as Waiting<Answer>[]
    while (line.length > 0) await this.#once(line, tenant)
    this.#lines.delete(name)
  }

  async #once(line: Waiting<Answer>[], tenant: string): Promise<void> {
    // In the order they came, so the first has the least time left.
    const until = line[0]?.until as number
    let sent: Waiting<Answer>[] = []
    try {
      const answers = await this.#waits.turn(until, (patience) => {
        sent = line.slice(0, MOST_AT_ONCE)
        return this.#send(
          tenant,
          sent.map(({ job }) => job),
          patience,
        )
      })
      sent.forEach((each, index) => {
        const answer = answers[index] ?? new Error('the database gave no answer for this job')
        if (answer !== HELD) settle(line, each, answer)
      })
    } catch (error) {
      for (const each of sent) settle(line, each, error as Error)
    }
    for (const each of line.filter((one) => one.until <= performance.now())) settle(line, each, stillHeld())
  }
}

const MOST_AT_ONCE = 1_000

function settle<Answer>(line: Waiting<Answer>[], each: Waiting<Answer>, answer: Answer | Error): void {
  line.splice(line.indexOf(each), 1)
  each.resolve(answer)
}

function lineOf(tenant: string, { queue, key, byKind }: WrittenJob): string {
  return JSON.stringify([tenant, queue, key ?? null, byKind])
}
