/**
 * Tells waiting claimers that there is work, after the commit that brought it: the first word goes out at once, and what follows
 * within ten milliseconds goes together, so a flood of jobs costs a hundred notifications a second and no more. Nobody waits
 * for a word and nobody minds one that is lost: claimers also ask by themselves.
 *
 * After a silence the notification travels in the commit of the jobs themselves, which saves the claimer a round trip of the producer's and a
 * short-lived producer everything else. Commits that notify go one at a time through the whole server, disk and all, so this is only for
 * producers that enqueue rarely. Jobs made in a caller's transaction are announced by its commit (wake_at_commit).
 */
import type { Database } from './database.js'

const PAUSE_MS = 10
/** So long without a word is a silence. */
const SILENCE_MS = 25
/** A stop does not wait longer than this for the last word: claimers also ask by themselves. */
const LAST_WORD_MS = 1_000

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
  readonly isOn: boolean
  #everybody = false
  /** Queues to wake, by tenant and name. */
  readonly #queues = new Map<string, [tenant: string, name: string]>()
  #pause: NodeJS.Timeout | undefined
  /** One at a time, so that words never queue up for a connection while the database is slow or away. */
  #underWay: Promise<void> | undefined
  #stopped = false
  /** By tenant and name, of queues that were woken before. */
  readonly #ids = new Map<string, number>()
  #saidAt = Number.NEGATIVE_INFINITY

  constructor(database: Database, isOn = true) {
    this.#database = database
    this.isOn = isOn
  }

  /** Work has come to these queues and is committed. */
  wake(tenant: string, names: Iterable<string>): void {
    if (!this.isOn) return
    for (const name of names) this.#queues.set(`${tenant} ${name}`, [tenant, name])
    if (this.#queues.size > 0) this.#soon()
  }

  /** Whether the statement that brings work to these queues is to wake their claimers itself; otherwise call `wake` afterwards. */
  carried(names: readonly string[]): boolean {
    const now = performance.now()
    if (!this.isOn || names.length === 0 || now - this.#saidAt < SILENCE_MS) return false
    this.#saidAt = now
    return true
  }

  /** Work has come somewhere. */
  wakeAll(): void {
    if (!this.isOn) return
    this.#everybody = true
    this.#soon()
  }

  /** Work has come to the queue of this job. Rare, and so not gathered. */
  wakeQueueOf(jobId: number): void {
    if (this.isOn) void this.#say(WAKE_QUEUE_OF, [jobId])
  }

  /** Sends what is still to be sent, and nothing after that. */
  async stop(): Promise<void> {
    clearTimeout(this.#pause)
    this.#pause = undefined
    const last = async () => {
      await this.#underWay
      if (this.#hasWork) await this.#send()
    }
    let timer: NodeJS.Timeout | undefined
    const tooLong = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, LAST_WORD_MS)
    })
    this.#stopped = true
    await Promise.race([last(), tooLong])
    clearTimeout(timer)
  }

  get #hasWork(): boolean {
    return this.#everybody || this.#queues.size > 0
  }

  #soon(): void {
    if (this.#stopped || this.#pause !== undefined || this.#underWay !== undefined) return
    this.#underWay = this.#send().finally(() => {
      this.#underWay = undefined
      this.#goOn()
    })
    this.#pause = setTimeout(() => {
      this.#pause = undefined
      this.#goOn()
    }, PAUSE_MS)
    this.#pause.unref()
  }

  #goOn(): void {
    if (this.#hasWork) this.#soon()
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
