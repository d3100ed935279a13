/**
 * Tells waiting claimers that there is work, after the commit that brought it: the first word goes out at once, and what follows
 * within ten milliseconds goes together, so a flood of jobs costs a hundred notifications a second and no more. Nobody waits
 * for a word and nobody minds one that is lost: claimers also ask by themselves.
 *
 * After a silence the word travels in the commit of the job itself, which saves the claimer a round trip of the producer's. Commits
 * that notify go one at a time through the whole server, disk and all, so this is only for who says little.
 */
import type { Database } from './database.js'

const PAUSE_MS = 10
/** So long without a word is a silence. */
const SILENCE_MS = 25
/** When the caller commits is not ours to know; one of these is likely to come soon after. */
const LATE_MS = [10, 50, 250]

/** Answers their ids, because by id it takes half as long. */
const WAKE_BY_NAME = `with found as materialized (select q.tenant, q.name, q.id
    from holdfast.queues q join unnest($1::text[], $2::text[]) w (tenant, name) on q.tenant = w.tenant and q.name = w.name),
  woken as materialized (select holdfast.wake(array(select id from found)))
  select tenant, name, id from found, woken`
const WAKE = 'select holdfast.wake($1::int[])'
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
  /** By tenant and name, of queues that were woken before. */
  readonly #ids = new Map<string, number>()
  #saidAt = Number.NEGATIVE_INFINITY

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

  /** The ids for `wake` in the very statement that brings work to these queues; null: say `wake` afterwards. */
  carried(tenant: string, names: readonly string[]): number[] | null {
    const now = performance.now()
    if (!this.#isOn || names.length === 0 || now - this.#saidAt < SILENCE_MS) return null
    const ids = names.map((name) => this.#ids.get(`${tenant} ${name}`))
    if (ids.includes(undefined)) return null
    this.#saidAt = now
    return ids as number[]
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

  async #send(): Promise<void> {
    const queues = [...this.#queues]
    const everybody = this.#everybody
    this.#queues.clear()
    this.#everybody = false
    this.#saidAt = performance.now()
    const ids = queues.map(([key]) => this.#ids.get(key))
    if (everybody) await this.#say(WAKE_ALL, [])
    else if (!ids.includes(undefined)) await this.#say(WAKE, [ids])
    else await this.#sayByName(queues.map(([, names]) => names))
  }

  async #sayByName(queues: readonly (readonly [tenant: string, name: string])[]): Promise<void> {
    const found = await this.#say<{ tenant: string; name: string; id: number }>(WAKE_BY_NAME, [
      queues.map(([tenant]) => tenant),
      queues.map(([, name]) => name),
    ])
    for (const { tenant, name, id } of found) this.#ids.set(`${tenant} ${name}`, id)
  }

  #say<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return this.#database.query<Row>(text, values, { often: true }).catch(() => [])
  }
}
