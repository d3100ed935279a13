/**
 * Tells waiting claimers that there is work, after the commit that brought it: the first word goes out at once, and what follows
 * within ten milliseconds goes together, so a flood of jobs costs a hundred notifications a second and no more. Nobody waits
 * for a word and nobody minds one that is lost: claimers also ask by themselves.
 */
import type { Database } from './database.js'

const PAUSE_MS = 10
/** When the caller commits is not ours to know; one of these is likely to come soon after. */
const LATE_MS = [10, 50, 250]

const WAKE = `select holdfast.wake(array(
  select q.id from holdfast.queues q join unnest($1::text[], $2::text[]) w (tenant, name) on q.tenant = w.tenant and q.name = w.name))`
/** A statement of its own, because a worker may not read the view. */
const WAKE_ALL = 'select holdfast.wake()'
const WAKE_QUEUE_OF = 'select holdfast.wake(array[holdfast.queue_of($1)])'

export class Waker {
  readonly #database: Database
  readonly #isOn: boolean
  #everybody = false
  /** Queues to wake, by tenant and name. */
  readonly #queues = new Map<string, [tenant: string, name: string]>()
  #pause: NodeJS.Timeout | undefined
  /** One at a time, so that words never queue up for a connection while the database is slow or away. */
  #underWay = false
  readonly #late = new Set<NodeJS.Timeout>()

  constructor(database: Database, isOn = true) {
    this.#database = database
    this.#isOn = isOn
  }

  /** Work has come to these queues and is committed. */
  wake(tenant: string, names: Iterable<string>): void {
    if (!this.#isOn) return
    for (const name of names) this.#queues.set(`${tenant} ${name}`, [tenant, name])
    if (this.#queues.size > 0) this.#soon()
  }

  /** Work has come somewhere. */
  wakeAll(): void {
    if (!this.#isOn) return
    this.#everybody = true
    this.#soon()
  }

  /** Work has come to the queue of this job. Rare, and so not gathered. */
  wakeQueueOf(jobId: number): void {
    if (this.#isOn) void this.#say(WAKE_QUEUE_OF, [jobId])
  }

  /** Work will have come to these queues once a caller commits. */
  wakeLater(tenant: string, names: readonly string[]): void {
    if (!this.#isOn) return
    for (const ms of LATE_MS) {
      const timer = setTimeout(() => {
        this.#late.delete(timer)
        this.wake(tenant, names)
      }, ms)
      timer.unref()
      this.#late.add(timer)
    }
  }

  /** What was to be said later is not said any more. */
  stop(): void {
    clearTimeout(this.#pause)
    for (const timer of this.#late) clearTimeout(timer)
    this.#late.clear()
    this.#queues.clear()
    this.#everybody = false
  }

  #soon(): void {
    if (this.#pause !== undefined || this.#underWay) return
    this.#underWay = true
    void this.#send().finally(() => {
      this.#underWay = false
      this.#goOn()
    })
    this.#pause = setTimeout(() => {
      this.#pause = undefined
      this.#goOn()
    }, PAUSE_MS)
    this.#pause.unref()
  }

  #goOn(): void {
    if (this.#everybody || this.#queues.size > 0) this.#soon()
  }

  #send(): Promise<unknown> {
    const queues = [...this.#queues.values()]
    const everybody = this.#everybody
    this.#queues.clear()
    this.#everybody = false
    if (everybody) return this.#say(WAKE_ALL, [])
    return this.#say(WAKE, [queues.map(([tenant]) => tenant), queues.map(([, name]) => name)])
  }

  #say(text: string, values: unknown[]): Promise<unknown> {
    return this.#database.query(text, values).catch(() => {})
  }
}
