/**
 * Notifies waiting claimers of new work, after the commit that brought it. The first notification is sent at once; those of the next ten
 * milliseconds are combined, so a flood of jobs costs at most a hundred notifications a second. No caller waits for a notification, and a
 * lost one does no harm: claimers also poll.
 *
 * After a quiet time the notification is part of the commit of the jobs themselves, which saves the claimer a round trip and lets a
 * short-lived producer exit at once. Postgres serialises commits that notify, disk flush included, so this is only for producers
 * that enqueue rarely. Jobs created in a caller's transaction are announced by its commit (wake_at_commit).
 */
import type { Database } from '../../database/database.js'

const PAUSE_MS = 10
/** This long without a notification counts as quiet. */
const QUIET_MS = 25
/** `stop` waits at most this long for the last notification: claimers also poll. */
const STOP_MAX_MS = 1_000

/** Returns the queue ids, because waking by id takes half as long. */
const WAKE_BY_NAME = `with found as materialized (select q.tenant, q.name, q.id
    from holdfast.queues q join unnest($1::text[], $2::text[]) w (tenant, name) on q.tenant = w.tenant and q.name = w.name),
  woken as materialized (select holdfast.wake(array(select id from found)))
  select tenant, name, id from found, woken`
const WAKE = 'select holdfast.wake($1::int[])'
/** A statement of its own, because the worker role may not read the view. */
const WAKE_ALL = 'select holdfast.wake()'
const WAKE_QUEUE_OF = 'select holdfast.wake(array[holdfast.queue_of($1)])'

export class Notifier {
  readonly #database: Database
  readonly isOn: boolean
  #wakesAll = false
  /** Queues to wake, by tenant and name. */
  readonly #queues = new Map<string, [tenant: string, name: string]>()
  #pause: NodeJS.Timeout | undefined
  /** One at a time, so that notifications never queue for a connection while the database is slow or away. */
  #underWay: Promise<void> | undefined
  #stopped = false
  /** Ids by tenant and name, of queues that were woken before. */
  readonly #ids = new Map<string, number>()
  #notifiedAt = Number.NEGATIVE_INFINITY

  constructor(database: Database, isOn = true) {
    this.#database = database
    this.isOn = isOn
  }

  /** These queues have committed work. */
  wake(tenant: string, names: Iterable<string>): void {
    if (!this.isOn) return
    for (const name of names) this.#queues.set(`${tenant} ${name}`, [tenant, name])
    if (this.#queues.size > 0) this.#soon()
  }

  /** Whether the statement that enqueues should wake the claimers itself; otherwise call `wake` afterwards. */
  carried(names: readonly string[]): boolean {
    const now = performance.now()
    if (!this.isOn || names.length === 0 || now - this.#notifiedAt < QUIET_MS) return false
    this.#notifiedAt = now
    return true
  }

  /** Some queue has new work. */
  wakeAll(): void {
    if (!this.isOn) return
    this.#wakesAll = true
    this.#soon()
  }

  /** The queue of this job has new work. Rare, so not combined. */
  wakeQueueOf(jobId: number): void {
    if (this.isOn) void this.#notify(WAKE_QUEUE_OF, [jobId])
  }

  /** Sends pending notifications, and none after that. */
  async stop(): Promise<void> {
    clearTimeout(this.#pause)
    this.#pause = undefined
    const last = async () => {
      await this.#underWay
      if (this.#hasWork) await this.#send()
    }
    let timer: NodeJS.Timeout | undefined
    const tooLong = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, STOP_MAX_MS)
    })
    this.#stopped = true
    await Promise.race([last(), tooLong])
    clearTimeout(timer)
  }

  get #hasWork(): boolean {
    return this.#wakesAll || this.#queues.size > 0
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
    const wakesAll = this.#wakesAll
    this.#queues.clear()
    this.#wakesAll = false
    this.#notifiedAt = performance.now()
    const ids = queues.map(([key]) => this.#ids.get(key))
    if (wakesAll) await this.#notify(WAKE_ALL, [])
    else if (!ids.includes(undefined)) await this.#notify(WAKE, [ids])
    else await this.#notifyByName(queues.map(([, names]) => names))
  }

  async #notifyByName(queues: readonly (readonly [tenant: string, name: string])[]): Promise<void> {
    const found = await this.#notify<{ tenant: string; name: string; id: number }>(WAKE_BY_NAME, [
      queues.map(([tenant]) => tenant),
      queues.map(([, name]) => name),
    ])
    for (const { tenant, name, id } of found) this.#ids.set(`${tenant} ${name}`, id)
  }

  #notify<Row>(text: string, values: unknown[]): Promise<Row[]> {
    return this.#database.query<Row>(text, values, { often: true }).catch(() => [])
  }
}
